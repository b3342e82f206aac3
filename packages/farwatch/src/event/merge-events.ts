import type { ObjectEvent, SourceEvent } from "./source-event.ts";

/**
 * One event in place of two that wait, about the same object (same uid), so that a slow reader sees each object at most
 * once: create + update is a create of the newest state, update + update goes from the first old state to the last new
 * one, anything + delete is a delete with the last state. Of a generic event and another the later stays. The later
 * event's `ack` stays, the earlier one's is the caller's to settle.
 */
export function mergeEvents<T>(earlier: ObjectEvent<T>, later: ObjectEvent<T>): ObjectEvent<T>;
export function mergeEvents<T>(earlier: SourceEvent<T>, later: SourceEvent<T>): SourceEvent<T>;
export function mergeEvents<T>(earlier: SourceEvent<T>, later: SourceEvent<T>): SourceEvent<T> {
  if (later.type !== "update") return later;
  switch (earlier.type) {
    case "create":
      return { type: "create", object: later.object, inInitialList: earlier.inInitialList, ack: later.ack };
    case "update":
      return { type: "update", oldObject: earlier.oldObject, object: later.object, ack: later.ack };
    case "delete":
    case "generic":
      return later;
  }
}
