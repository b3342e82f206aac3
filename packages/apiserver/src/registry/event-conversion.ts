import type { DraftObject, StoredObject } from "./api-object.ts";
import { builtInSchema } from "./built-in-schema.ts";

/** The fields that have another name in events.k8s.io/v1 than in core/v1. */
const names: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
];
const fromCore = new Map(names.map(([core, events]) => [events, core]));
const fromEvents = new Map(names);

/** A core/v1 Event as one of events.k8s.io/v1: the same fields under newer names. */
export function eventFromCore(event: DraftObject | StoredObject): DraftObject {
  return renamed(event, { type: "events.v1.Event", apiVersion: "events.k8s.io/v1", source: fromCore });
}

export function eventToCore(event: DraftObject | StoredObject): DraftObject {
  return renamed(event, { type: "core.v1.Event", apiVersion: "v1", source: fromEvents });
}

function renamed(
  event: DraftObject | StoredObject,
  to: { readonly type: string; readonly apiVersion: string; readonly source: ReadonlyMap<string, string> },
): DraftObject {
  const result: DraftObject = { kind: event.kind, apiVersion: to.apiVersion, metadata: event.metadata };
  for (const [field, schema] of Object.entries(builtInSchema(to.type).properties ?? {})) {
    if (Object.hasOwn(result, field)) continue;
    const value = event[to.source.get(field) ?? field];
    // One version writes who reports even where nobody says so, the other does not.
    if (schema["x-go-omit"] === "never" && schema.type === "string" && schema.default === "")
      result[field] = value ?? "";
    else if (value !== undefined && value !== "") result[field] = value;
  }
  return result;
}
