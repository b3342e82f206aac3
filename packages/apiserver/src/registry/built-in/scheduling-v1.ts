// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const schedulingV1: string = `
PriorityClass
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 value 2 int32 required
 globalDefault 3 bool
 description 4 string
 preemptionPolicy 5 *string enum=Never|PreemptLowerPriority go=v1.PreemptionPolicy
PriorityClassList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []PriorityClass required
`;
