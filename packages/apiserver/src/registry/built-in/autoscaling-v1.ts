// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const autoscalingV1: string = `
CrossVersionObjectReference map=atomic
 kind 1 string required
 name 2 string required
 apiVersion 3 string
HorizontalPodAutoscaler
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 HorizontalPodAutoscalerSpec
 status 3 HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []HorizontalPodAutoscaler required
HorizontalPodAutoscalerSpec
 scaleTargetRef 1 CrossVersionObjectReference required
 minReplicas 2 *int32
 maxReplicas 3 int32 required
 targetCPUUtilizationPercentage 4 *int32
HorizontalPodAutoscalerStatus
 observedGeneration 1 *int64
 lastScaleTime 2 *Time
 currentReplicas 3 int32 required
 desiredReplicas 4 int32 required
 currentCPUUtilizationPercentage 5 *int32
Scale
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 ScaleSpec
 status 3 ScaleStatus
ScaleSpec
 replicas 1 int32 default=0
ScaleStatus
 replicas 1 int32 required
 selector 2 string
`;
