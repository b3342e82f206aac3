// Written by tools/kube/built-in-types.ts; the form is described in ../type-table.ts.
export const eventsV1: string = `
Event
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ObjectMeta written
 eventTime 2 MicroTime required
 series 3 *EventSeries
 reportingController 4 string
 reportingInstance 5 string
 action 6 string
 reason 7 string
 regarding 8 core.v1.ObjectReference
 related 9 *core.v1.ObjectReference
 note 10 string
 type 11 string
 deprecatedSource 12 core.v1.EventSource
 deprecatedFirstTimestamp 13 Time
 deprecatedLastTimestamp 14 Time
 deprecatedCount 15 int32
EventList
 ... - meta.v1.TypeMeta
 metadata 1 meta.v1.ListMeta
 items 2 []Event required
EventSeries
 count 1 int32 required
 lastObservedTime 2 MicroTime required
`;
