// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const metaV1: string = `
APIResource
 name 1 string required
 singularName 6 string required
 namespaced 2 bool required
 group 8 string
 version 9 string
 kind 3 string required
 verbs 4 Verbs required go=v1.Verbs
 shortNames 5 []string list=atomic
 categories 7 []string list=atomic
 storageVersionHash 10 string
APIResourceList
 ... - TypeMeta
 groupVersion 1 string required
 resources 2 []APIResource required list=atomic
Condition
 type 1 string required
 status 2 string required go=v1.ConditionStatus
 observedGeneration 3 int64
 lastTransitionTime 4 Time required
 reason 5 string required
 message 6 string required
CreateOptions
 ... - TypeMeta
 dryRun 1 []string
 fieldManager 3 string
 fieldValidation 4 string
DeleteOptions
 ... - TypeMeta
 gracePeriodSeconds 1 *int64
 preconditions 2 *Preconditions
 orphanDependents 3 *bool
 propagationPolicy 4 *string go=v1.DeletionPropagation
 dryRun 5 []string list=atomic
 ignoreStoreReadErrorWithClusterBreakingPotential 6 *bool
FieldSelectorRequirement
 key 1 string required
 operator 2 string required go=v1.FieldSelectorOperator
 values 3 []string list=atomic
GetOptions
 ... - TypeMeta
 resourceVersion 1 string
LabelSelector map=atomic
 matchLabels 1 {}string
 matchExpressions 2 []LabelSelectorRequirement list=atomic
LabelSelectorRequirement
 key 1 string required
 operator 2 string required go=v1.LabelSelectorOperator
 values 3 []string list=atomic
ListMeta
 selfLink 1 string
 resourceVersion 2 string
 continue 3 string
 remainingItemCount 4 *int64
ListOptions
 ... - TypeMeta
 labelSelector 1 string
 fieldSelector 2 string
 watch 3 bool
 allowWatchBookmarks 9 bool
 resourceVersion 4 string
 resourceVersionMatch 10 string go=v1.ResourceVersionMatch
 timeoutSeconds 5 *int64
 limit 7 int64
 continue 8 string
 sendInitialEvents 11 *bool
ManagedFieldsEntry
 manager 1 string
 operation 2 string go=v1.ManagedFieldsOperationType
 apiVersion 3 string
 time 4 *Time
 fieldsType 6 string
 fieldsV1 7 *FieldsV1
 subresource 8 string
ObjectMeta
 name 1 string
 generateName 2 string
 namespace 3 string
 selfLink 4 string
 uid 5 string go=types.UID
 resourceVersion 6 string
 generation 7 int64
 creationTimestamp 8 Time omitzero
 deletionTimestamp 9 *Time
 deletionGracePeriodSeconds 10 *int64
 labels 11 {}string
 annotations 12 {}string
 ownerReferences 13 []OwnerReference list=map:uid patch=merge key=uid
 finalizers 14 []string list=set patch=merge
 managedFields 17 []ManagedFieldsEntry list=atomic
OwnerReference map=atomic
 apiVersion 5 string required
 kind 1 string required
 name 3 string required
 uid 4 string required go=types.UID
 controller 6 *bool
 blockOwnerDeletion 7 *bool
PatchOptions
 ... - TypeMeta
 dryRun 1 []string
 force 2 *bool
 fieldManager 3 string
 fieldValidation 4 string
Preconditions
 uid 1 *string go=types.UID
 resourceVersion 2 *string
Status
 ... - TypeMeta
 metadata 1 ListMeta
 status 2 string
 message 3 string
 reason 4 string go=v1.StatusReason
 details 5 *StatusDetails
 code 6 int32
StatusCause
 reason 1 string go=v1.CauseType
 message 2 string
 field 3 string
StatusDetails
 name 1 string
 group 2 string
 kind 3 string
 uid 6 string go=types.UID
 causes 4 []StatusCause list=atomic
 retryAfterSeconds 5 int32
TypeMeta
 kind 1 string
 apiVersion 2 string
UpdateOptions
 ... - TypeMeta
 dryRun 1 []string
 fieldManager 2 string
 fieldValidation 3 string
Verbs []string
`;
