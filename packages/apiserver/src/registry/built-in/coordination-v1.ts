// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const coordinationV1: string = `
Lease
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 spec 2 LeaseSpec
LeaseList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []Lease required
LeaseSpec
 holderIdentity 1 *string
 leaseDurationSeconds 2 *int32
 acquireTime 3 *MicroTime
 renewTime 4 *MicroTime
 leaseTransitions 5 *int32
 strategy 6 *string go=v1.CoordinatedLeaseStrategy
 preferredHolder 7 *string
`;
