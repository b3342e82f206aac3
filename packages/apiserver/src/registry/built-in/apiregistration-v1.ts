// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const apiregistrationV1: string = `
APIService
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 APIServiceSpec
 status 3 APIServiceStatus
APIServiceCondition
 type 1 string required go=v1.APIServiceConditionType
 status 2 string required go=v1.ConditionStatus
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
APIServiceList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []APIService required
APIServiceSpec
 service 1 *ServiceReference
 group 2 string
 version 3 string
 insecureSkipTLSVerify 4 bool
 caBundle 5 bytes list=atomic
 groupPriorityMinimum 7 int32 required
 versionPriority 8 int32 required
APIServiceStatus
 conditions 1 []APIServiceCondition list=map:type patch=merge key=type
ServiceReference
 namespace 1 string
 name 2 string
 port 3 *int32
`;
