import type { SourceEvent } from "../event/source-event.ts";
import type { KubeObject } from "../wire/object.ts";

type Entries = Readonly<Record<string, string>>;

function differ(before: Entries = {}, after: Entries = {}): boolean {
  const names = Object.keys(after);
  return names.length !== Object.keys(before).length || names.some((name) => before[name] !== after[name]);
}

/** Drops an update that left every label as it was; what is no update passes. */
export function labelsChanged(event: SourceEvent<KubeObject>): boolean {
  return event.type !== "update" || differ(event.oldObject.metadata.labels, event.object.metadata.labels);
}

/** Drops an update that left every annotation as it was; what is no update passes. */
export function annotationsChanged(event: SourceEvent<KubeObject>): boolean {
  return event.type !== "update" || differ(event.oldObject.metadata.annotations, event.object.metadata.annotations);
}
