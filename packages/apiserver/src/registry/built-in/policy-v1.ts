// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const policyV1: string = `
Eviction
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 deleteOptions 2 *meta.v1.DeleteOptions
PodDisruptionBudget
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 PodDisruptionBudgetSpec
 status 3 PodDisruptionBudgetStatus
PodDisruptionBudgetList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []PodDisruptionBudget required
PodDisruptionBudgetSpec
 minAvailable 1 *IntOrString
 selector 2 *meta.v1.LabelSelector patch=replace
 maxUnavailable 3 *IntOrString
 unhealthyPodEvictionPolicy 4 *string enum=AlwaysAllow|IfHealthyBudget go=v1.UnhealthyPodEvictionPolicyType
PodDisruptionBudgetStatus
 observedGeneration 1 int64
 disruptedPods 2 {}Time
 disruptionsAllowed 3 int32 required
 currentHealthy 4 int32 required
 desiredHealthy 5 int32 required
 expectedPods 6 int32 required
 conditions 7 []meta.v1.Condition list=map:type patch=merge key=type
`;
