// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const discoveryV1: string = `
Endpoint
 addresses 1 []string required list=set
 conditions 2 EndpointConditions
 hostname 3 *string
 targetRef 4 *core.v1.ObjectReference
 deprecatedTopology 5 {}string
 nodeName 6 *string
 zone 7 *string
 hints 8 *EndpointHints
EndpointConditions
 ready 1 *bool
 serving 2 *bool
 terminating 3 *bool
EndpointHints
 forZones 1 []ForZone list=atomic
 forNodes 2 []ForNode list=atomic
EndpointPort map=atomic
 name 1 *string
 protocol 2 *string enum=SCTP|TCP|UDP go=v1.Protocol
 port 3 *int32
 appProtocol 4 *string
EndpointSlice
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta
 addressType 4 string required enum=FQDN|IPv4|IPv6 go=v1.AddressType
 endpoints 2 []Endpoint required list=atomic
 ports 3 []EndpointPort written list=atomic
EndpointSliceList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []EndpointSlice required
ForNode
 name 1 string required
ForZone
 name 1 string required
`;
