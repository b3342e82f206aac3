// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const rbacV1: string = `
AggregationRule
 clusterRoleSelectors 1 []meta.v1.LabelSelector list=atomic
ClusterRole
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 rules 2 []PolicyRule written list=atomic
 aggregationRule 3 *AggregationRule
ClusterRoleBinding
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 subjects 2 []Subject list=atomic
 roleRef 3 RoleRef required
ClusterRoleBindingList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []ClusterRoleBinding required
ClusterRoleList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []ClusterRole required
PolicyRule
 verbs 1 []string required list=atomic
 apiGroups 2 []string list=atomic
 resources 3 []string list=atomic
 resourceNames 4 []string list=atomic
 nonResourceURLs 5 []string list=atomic
Role
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 rules 2 []PolicyRule written list=atomic
RoleBinding
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 subjects 2 []Subject list=atomic
 roleRef 3 RoleRef required
RoleBindingList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []RoleBinding required
RoleList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []Role required
RoleRef map=atomic
 apiGroup 1 string required
 kind 2 string required
 name 3 string required
Subject map=atomic
 kind 1 string required
 apiGroup 2 string
 name 3 string required
 namespace 4 string
`;
