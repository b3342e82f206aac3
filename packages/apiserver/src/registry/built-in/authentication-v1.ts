// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const authenticationV1: string = `
BoundObjectReference
 kind 1 string
 apiVersion 2 string
 name 3 string
 uid 4 string go=types.UID
ExtraValue []string
SelfSubjectReview
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 status 2 SelfSubjectReviewStatus
SelfSubjectReviewStatus
 userInfo 1 UserInfo
TokenRequest
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 TokenRequestSpec required
 status 3 TokenRequestStatus
TokenRequestSpec
 audiences 1 []string required list=atomic
 expirationSeconds 4 *int64 written
 boundObjectRef 3 *BoundObjectReference written
TokenRequestStatus
 token 1 string required
 expirationTimestamp 2 Time required
TokenReview
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 TokenReviewSpec required
 status 3 TokenReviewStatus
TokenReviewSpec
 token 1 string
 audiences 2 []string list=atomic
TokenReviewStatus
 authenticated 1 bool
 user 2 UserInfo
 audiences 4 []string list=atomic
 error 3 string
UserInfo
 username 1 string
 uid 2 string
 groups 3 []string list=atomic
 extra 4 {}ExtraValue go=map[string]v1.ExtraValue
`;
