// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const autoscalingV2: string = `
ContainerResourceMetricSource
 name 1 string required go=v1.ResourceName
 target 2 MetricTarget required
 container 3 string required
ContainerResourceMetricStatus
 name 1 string required go=v1.ResourceName
 current 2 MetricValueStatus required
 container 3 string required
CrossVersionObjectReference
 kind 1 string required
 name 2 string required
 apiVersion 3 string
ExternalMetricSource
 metric 1 MetricIdentifier required
 target 2 MetricTarget required
ExternalMetricStatus
 metric 1 MetricIdentifier required
 current 2 MetricValueStatus required
HPAScalingPolicy
 type 1 string required go=v2.HPAScalingPolicyType
 value 2 int32 required
 periodSeconds 3 int32 required
HPAScalingRules
 stabilizationWindowSeconds 3 *int32
 selectPolicy 1 *string go=v2.ScalingPolicySelect
 policies 2 []HPAScalingPolicy list=atomic
 tolerance 4 *Quantity
HorizontalPodAutoscaler
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 HorizontalPodAutoscalerSpec
 status 3 HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerBehavior
 scaleUp 1 *HPAScalingRules
 scaleDown 2 *HPAScalingRules
HorizontalPodAutoscalerCondition
 type 1 string required go=v2.HorizontalPodAutoscalerConditionType
 status 2 string required go=v1.ConditionStatus
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
HorizontalPodAutoscalerList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []HorizontalPodAutoscaler required
HorizontalPodAutoscalerSpec
 scaleTargetRef 1 CrossVersionObjectReference required
 minReplicas 2 *int32
 maxReplicas 3 int32 required
 metrics 4 []MetricSpec list=atomic
 behavior 5 *HorizontalPodAutoscalerBehavior
HorizontalPodAutoscalerStatus
 observedGeneration 1 *int64
 lastScaleTime 2 *Time
 currentReplicas 3 int32
 desiredReplicas 4 int32 required
 currentMetrics 5 []MetricStatus written list=atomic
 conditions 6 []HorizontalPodAutoscalerCondition list=map:type patch=merge key=type
MetricIdentifier
 name 1 string required
 selector 2 *meta.v1.LabelSelector
MetricSpec
 type 1 string required go=v2.MetricSourceType
 object 2 *ObjectMetricSource
 pods 3 *PodsMetricSource
 resource 4 *ResourceMetricSource
 containerResource 7 *ContainerResourceMetricSource
 external 5 *ExternalMetricSource
MetricStatus
 type 1 string required go=v2.MetricSourceType
 object 2 *ObjectMetricStatus
 pods 3 *PodsMetricStatus
 resource 4 *ResourceMetricStatus
 containerResource 7 *ContainerResourceMetricStatus
 external 5 *ExternalMetricStatus
MetricTarget
 type 1 string required go=v2.MetricTargetType
 value 2 *Quantity
 averageValue 3 *Quantity
 averageUtilization 4 *int32
MetricValueStatus
 value 1 *Quantity
 averageValue 2 *Quantity
 averageUtilization 3 *int32
ObjectMetricSource
 describedObject 1 CrossVersionObjectReference required
 target 2 MetricTarget required
 metric 3 MetricIdentifier required
ObjectMetricStatus
 metric 1 MetricIdentifier required
 current 2 MetricValueStatus required
 describedObject 3 CrossVersionObjectReference required
PodsMetricSource
 metric 1 MetricIdentifier required
 target 2 MetricTarget required
PodsMetricStatus
 metric 1 MetricIdentifier required
 current 2 MetricValueStatus required
ResourceMetricSource
 name 1 string required go=v1.ResourceName
 target 2 MetricTarget required
ResourceMetricStatus
 name 1 string required go=v1.ResourceName
 current 2 MetricValueStatus required
`;
