// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const batchV1: string = `
CronJob
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 CronJobSpec
 status 3 CronJobStatus
CronJobList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []CronJob required
CronJobSpec
 schedule 1 string required
 timeZone 8 *string
 startingDeadlineSeconds 2 *int64
 concurrencyPolicy 3 string enum=Allow|Forbid|Replace go=v1.ConcurrencyPolicy
 suspend 4 *bool
 jobTemplate 5 JobTemplateSpec required
 successfulJobsHistoryLimit 6 *int32
 failedJobsHistoryLimit 7 *int32
CronJobStatus
 active 1 []core.v1.ObjectReference list=atomic
 lastScheduleTime 4 *Time
 lastSuccessfulTime 5 *Time
Job
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 JobSpec
 status 3 JobStatus
JobCondition
 type 1 string required go=v1.JobConditionType
 status 2 string required go=v1.ConditionStatus
 lastProbeTime 3 Time
 lastTransitionTime 4 Time
 reason 5 string
 message 6 string
JobList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []Job required
JobSpec
 parallelism 1 *int32
 completions 2 *int32
 activeDeadlineSeconds 3 *int64
 podFailurePolicy 11 *PodFailurePolicy
 successPolicy 16 *SuccessPolicy
 backoffLimit 7 *int32
 backoffLimitPerIndex 12 *int32
 maxFailedIndexes 13 *int32
 selector 4 *meta.v1.LabelSelector
 manualSelector 5 *bool
 template 6 core.v1.PodTemplateSpec required
 ttlSecondsAfterFinished 8 *int32
 completionMode 9 *string enum=Indexed|NonIndexed go=v1.CompletionMode
 suspend 10 *bool
 podReplacementPolicy 14 *string enum=Failed|TerminatingOrFailed go=v1.PodReplacementPolicy
 managedBy 15 *string
JobStatus
 conditions 1 []JobCondition list=atomic patch=merge key=type
 startTime 2 *Time
 completionTime 3 *Time
 active 4 int32
 succeeded 5 int32
 failed 6 int32
 terminating 11 *int32
 completedIndexes 7 string
 failedIndexes 10 *string
 uncountedTerminatedPods 8 *UncountedTerminatedPods
 ready 9 *int32
JobTemplateSpec
 metadata 1 meta.v1.ObjectMeta
 spec 2 JobSpec
PodFailurePolicy
 rules 1 []PodFailurePolicyRule required list=atomic
PodFailurePolicyOnExitCodesRequirement
 containerName 1 *string
 operator 2 string required enum=In|NotIn go=v1.PodFailurePolicyOnExitCodesOperator
 values 3 []int32 required list=set
PodFailurePolicyOnPodConditionsPattern
 type 1 string required go=v1.PodConditionType
 status 2 string written go=v1.ConditionStatus
PodFailurePolicyRule
 action 1 string required enum=Count|FailIndex|FailJob|Ignore go=v1.PodFailurePolicyAction
 onExitCodes 2 *PodFailurePolicyOnExitCodesRequirement
 onPodConditions 3 []PodFailurePolicyOnPodConditionsPattern list=atomic
SuccessPolicy
 rules 1 []SuccessPolicyRule required list=atomic
SuccessPolicyRule
 succeededIndexes 1 *string
 succeededCount 2 *int32
UncountedTerminatedPods
 succeeded 1 []string list=set go=[]types.UID
 failed 2 []string list=set go=[]types.UID
`;
