// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const authorizationV1: string = `
ExtraValue []string
FieldSelectorAttributes
 rawSelector 1 string
 requirements 2 []meta.v1.FieldSelectorRequirement list=atomic
LabelSelectorAttributes
 rawSelector 1 string
 requirements 2 []meta.v1.LabelSelectorRequirement list=atomic
LocalSubjectAccessReview
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 SubjectAccessReviewSpec required
 status 3 SubjectAccessReviewStatus
NonResourceAttributes
 path 1 string
 verb 2 string
NonResourceRule
 verbs 1 []string required list=atomic
 nonResourceURLs 2 []string list=atomic
ResourceAttributes
 namespace 1 string
 verb 2 string
 group 3 string
 version 4 string
 resource 5 string
 subresource 6 string
 name 7 string
 fieldSelector 8 *FieldSelectorAttributes
 labelSelector 9 *LabelSelectorAttributes
ResourceRule
 verbs 1 []string required list=atomic
 apiGroups 2 []string list=atomic
 resources 3 []string list=atomic
 resourceNames 4 []string list=atomic
SelfSubjectAccessReview
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 SelfSubjectAccessReviewSpec required
 status 3 SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec
 resourceAttributes 1 *ResourceAttributes
 nonResourceAttributes 2 *NonResourceAttributes
SelfSubjectRulesReview
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 SelfSubjectRulesReviewSpec required
 status 3 SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec
 namespace 1 string
SubjectAccessReview
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 SubjectAccessReviewSpec required
 status 3 SubjectAccessReviewStatus
SubjectAccessReviewSpec
 resourceAttributes 1 *ResourceAttributes
 nonResourceAttributes 2 *NonResourceAttributes
 user 3 string
 groups 4 []string list=atomic
 extra 5 {}ExtraValue go=map[string]v1.ExtraValue
 uid 6 string
SubjectAccessReviewStatus
 allowed 1 bool required
 denied 4 bool
 reason 2 string
 evaluationError 3 string
SubjectRulesReviewStatus
 resourceRules 1 []ResourceRule required list=atomic
 nonResourceRules 2 []NonResourceRule required list=atomic
 incomplete 3 bool required
 evaluationError 4 string
`;
