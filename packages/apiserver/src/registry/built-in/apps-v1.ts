// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const appsV1: string = `
ControllerRevision
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 data 2 RawExtension
 revision 3 int64 required
ControllerRevisionList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []ControllerRevision required
DaemonSet
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 DaemonSetSpec
 status 3 DaemonSetStatus
DaemonSetCondition
 type 1 string required go=v1.DaemonSetConditionType
 status 2 string required go=v1.ConditionStatus
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
DaemonSetList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []DaemonSet required
DaemonSetSpec
 selector 1 *meta.v1.LabelSelector required
 template 2 core.v1.PodTemplateSpec required
 updateStrategy 3 DaemonSetUpdateStrategy
 minReadySeconds 4 int32
 revisionHistoryLimit 6 *int32
DaemonSetStatus
 currentNumberScheduled 1 int32 required
 numberMisscheduled 2 int32 required
 desiredNumberScheduled 3 int32 required
 numberReady 4 int32 required
 observedGeneration 5 int64
 updatedNumberScheduled 6 int32
 numberAvailable 7 int32
 numberUnavailable 8 int32
 collisionCount 9 *int32
 conditions 10 []DaemonSetCondition list=map:type patch=merge key=type
DaemonSetUpdateStrategy
 type 1 string enum=OnDelete|RollingUpdate go=v1.DaemonSetUpdateStrategyType
 rollingUpdate 2 *RollingUpdateDaemonSet
Deployment
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 DeploymentSpec
 status 3 DeploymentStatus
DeploymentCondition
 type 1 string required go=v1.DeploymentConditionType
 status 2 string required go=v1.ConditionStatus
 lastUpdateTime 6 Time
 lastTransitionTime 7 Time
 reason 4 string
 message 5 string
DeploymentList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []Deployment required
DeploymentSpec
 replicas 1 *int32
 selector 2 *meta.v1.LabelSelector required
 template 3 core.v1.PodTemplateSpec required
 strategy 4 DeploymentStrategy patch=retainKeys
 minReadySeconds 5 int32
 revisionHistoryLimit 6 *int32
 paused 7 bool
 progressDeadlineSeconds 9 *int32
DeploymentStatus
 observedGeneration 1 int64
 replicas 2 int32
 updatedReplicas 3 int32
 readyReplicas 7 int32
 availableReplicas 4 int32
 unavailableReplicas 5 int32
 terminatingReplicas 9 *int32
 conditions 6 []DeploymentCondition list=map:type patch=merge key=type
 collisionCount 8 *int32
DeploymentStrategy
 type 1 string enum=Recreate|RollingUpdate go=v1.DeploymentStrategyType
 rollingUpdate 2 *RollingUpdateDeployment
ReplicaSet
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 ReplicaSetSpec
 status 3 ReplicaSetStatus
ReplicaSetCondition
 type 1 string required go=v1.ReplicaSetConditionType
 status 2 string required go=v1.ConditionStatus
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
ReplicaSetList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []ReplicaSet required
ReplicaSetSpec
 replicas 1 *int32
 minReadySeconds 4 int32
 selector 2 *meta.v1.LabelSelector required
 template 3 core.v1.PodTemplateSpec
ReplicaSetStatus
 replicas 1 int32 required
 fullyLabeledReplicas 2 int32
 readyReplicas 4 int32
 availableReplicas 5 int32
 terminatingReplicas 7 *int32
 observedGeneration 3 int64
 conditions 6 []ReplicaSetCondition list=map:type patch=merge key=type
RollingUpdateDaemonSet
 maxUnavailable 1 *IntOrString
 maxSurge 2 *IntOrString
RollingUpdateDeployment
 maxUnavailable 1 *IntOrString
 maxSurge 2 *IntOrString
RollingUpdateStatefulSetStrategy
 partition 1 *int32
 maxUnavailable 2 *IntOrString
StatefulSet
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 StatefulSetSpec
 status 3 StatefulSetStatus
StatefulSetCondition
 type 1 string required go=v1.StatefulSetConditionType
 status 2 string required go=v1.ConditionStatus
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
StatefulSetList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []StatefulSet required
StatefulSetOrdinals
 start 1 int32 written
StatefulSetPersistentVolumeClaimRetentionPolicy
 whenDeleted 1 string go=v1.PersistentVolumeClaimRetentionPolicyType
 whenScaled 2 string go=v1.PersistentVolumeClaimRetentionPolicyType
StatefulSetSpec
 replicas 1 *int32
 selector 2 *meta.v1.LabelSelector required
 template 3 core.v1.PodTemplateSpec required
 volumeClaimTemplates 4 []core.v1.PersistentVolumeClaim list=atomic
 serviceName 5 string written
 podManagementPolicy 6 string enum=OrderedReady|Parallel go=v1.PodManagementPolicyType
 updateStrategy 7 StatefulSetUpdateStrategy
 revisionHistoryLimit 8 *int32
 minReadySeconds 9 int32
 persistentVolumeClaimRetentionPolicy 10 *StatefulSetPersistentVolumeClaimRetentionPolicy
 ordinals 11 *StatefulSetOrdinals
StatefulSetStatus
 observedGeneration 1 int64
 replicas 2 int32 required
 readyReplicas 3 int32
 currentReplicas 4 int32
 updatedReplicas 5 int32
 currentRevision 6 string
 updateRevision 7 string
 collisionCount 9 *int32
 conditions 10 []StatefulSetCondition list=map:type patch=merge key=type
 availableReplicas 11 int32 written
StatefulSetUpdateStrategy
 type 1 string enum=OnDelete|RollingUpdate go=v1.StatefulSetUpdateStrategyType
 rollingUpdate 2 *RollingUpdateStatefulSetStrategy
`;
