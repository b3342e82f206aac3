// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const admissionregistrationV1: string = `
AuditAnnotation
 key 1 string required
 valueExpression 2 string required
ExpressionWarning
 fieldRef 2 string required
 warning 3 string required
MatchCondition
 name 1 string required
 expression 2 string required
MatchResources map=atomic
 namespaceSelector 1 *meta.v1.LabelSelector
 objectSelector 2 *meta.v1.LabelSelector
 resourceRules 3 []NamedRuleWithOperations list=atomic
 excludeResourceRules 4 []NamedRuleWithOperations list=atomic
 matchPolicy 7 *string enum=Equivalent|Exact go=v1.MatchPolicyType
MutatingWebhook
 name 1 string required
 clientConfig 2 WebhookClientConfig required
 rules 3 []RuleWithOperations list=atomic
 failurePolicy 4 *string enum=Fail|Ignore go=v1.FailurePolicyType
 matchPolicy 9 *string enum=Equivalent|Exact go=v1.MatchPolicyType
 namespaceSelector 5 *meta.v1.LabelSelector
 objectSelector 11 *meta.v1.LabelSelector
 sideEffects 6 *string required enum=None|NoneOnDryRun|Some|Unknown go=v1.SideEffectClass
 timeoutSeconds 7 *int32
 admissionReviewVersions 8 []string required list=atomic
 reinvocationPolicy 10 *string enum=IfNeeded|Never go=v1.ReinvocationPolicyType
 matchConditions 12 []MatchCondition list=map:name patch=merge key=name
MutatingWebhookConfiguration
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 webhooks 2 []MutatingWebhook list=map:name patch=merge key=name
MutatingWebhookConfigurationList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []MutatingWebhookConfiguration required
NamedRuleWithOperations map=atomic
 resourceNames 1 []string list=atomic
 ... 2 RuleWithOperations
ParamKind map=atomic
 apiVersion 1 string
 kind 2 string
ParamRef map=atomic
 name 1 string
 namespace 2 string
 selector 3 *meta.v1.LabelSelector
 parameterNotFoundAction 4 *string go=v1.ParameterNotFoundActionType
Rule
 apiGroups 1 []string list=atomic
 apiVersions 2 []string list=atomic
 resources 3 []string list=atomic
 scope 4 *string enum=*|Cluster|Namespaced go=v1.ScopeType
RuleWithOperations
 operations 1 []string each=*|CONNECT|CREATE|DELETE|UPDATE list=atomic go=[]v1.OperationType
 ... 2 Rule
ServiceReference
 namespace 1 string required
 name 2 string required
 path 3 *string
 port 4 *int32
TypeChecking
 expressionWarnings 1 []ExpressionWarning list=atomic
ValidatingAdmissionPolicy
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 ValidatingAdmissionPolicySpec
 status 3 ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []ValidatingAdmissionPolicyBinding required
ValidatingAdmissionPolicyBindingSpec
 policyName 1 string
 paramRef 2 *ParamRef
 matchResources 3 *MatchResources
 validationActions 4 []string each=Audit|Deny|Warn list=set go=[]v1.ValidationAction
ValidatingAdmissionPolicyList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []ValidatingAdmissionPolicy required
ValidatingAdmissionPolicySpec
 paramKind 1 *ParamKind
 matchConstraints 2 *MatchResources
 validations 3 []Validation list=atomic
 failurePolicy 4 *string enum=Fail|Ignore go=v1.FailurePolicyType
 auditAnnotations 5 []AuditAnnotation list=atomic
 matchConditions 6 []MatchCondition list=map:name patch=merge key=name
 variables 7 []Variable list=map:name patch=merge key=name
ValidatingAdmissionPolicyStatus
 observedGeneration 1 int64
 typeChecking 2 *TypeChecking
 conditions 3 []meta.v1.Condition list=map:type
ValidatingWebhook
 name 1 string required
 clientConfig 2 WebhookClientConfig required
 rules 3 []RuleWithOperations list=atomic
 failurePolicy 4 *string enum=Fail|Ignore go=v1.FailurePolicyType
 matchPolicy 9 *string enum=Equivalent|Exact go=v1.MatchPolicyType
 namespaceSelector 5 *meta.v1.LabelSelector
 objectSelector 10 *meta.v1.LabelSelector
 sideEffects 6 *string required enum=None|NoneOnDryRun|Some|Unknown go=v1.SideEffectClass
 timeoutSeconds 7 *int32
 admissionReviewVersions 8 []string required list=atomic
 matchConditions 11 []MatchCondition list=map:name patch=merge key=name
ValidatingWebhookConfiguration
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 webhooks 2 []ValidatingWebhook list=map:name patch=merge key=name
ValidatingWebhookConfigurationList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []ValidatingWebhookConfiguration required
Validation
 expression 1 string required
 message 2 string
 reason 3 *string go=v1.StatusReason
 messageExpression 4 string
Variable map=atomic
 name 1 string required
 expression 2 string required
WebhookClientConfig
 url 3 *string
 service 1 *ServiceReference
 caBundle 2 bytes
`;
