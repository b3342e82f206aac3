import type { SourceEvent } from "../event/source-event.ts";
import type { ObjectMeta } from "../wire/object.ts";
import { pausedAnnotation, requestedAtAnnotation, waitsForRun } from "../wire/runtime-annotation.ts";

/** A change of these counts, whatever else changed and whatever predicates say. */
const countingAnnotations = [requestedAtAnnotation, pausedAnnotation];

interface Described {
  readonly metadata: Partial<ObjectMeta>;
  readonly status?: unknown;
}

/** Undefined for what comes from elsewhere and has no metadata, or something else of that name. */
function described(object: unknown): Described | undefined {
  if (typeof object !== "object" || object === null || !("metadata" in object)) return undefined;
  return typeof object.metadata === "object" && object.metadata !== null ? (object as Described) : undefined;
}

/**
 * True for an event that no predicate is asked about, because a controller that missed it would never finish: a delete,
 * a create of an object that is already being deleted or whose `farwatch.dev/requested-at` was not handled, the first
 * appearance of deletionTimestamp, and a changed `farwatch.dev/requested-at` or `farwatch.dev/paused`. Any object may
 * be asked about, whether it comes from a cluster or not.
 */
export function mustPass(event: SourceEvent<unknown>): boolean {
  switch (event.type) {
    case "delete":
      return true;
    case "create": {
      const object = described(event.object);
      return object !== undefined && (object.metadata.deletionTimestamp !== undefined || waitsForRun(object));
    }
    case "update": {
      const before = described(event.oldObject)?.metadata;
      const after = described(event.object)?.metadata;
      if (before?.deletionTimestamp === undefined && after?.deletionTimestamp !== undefined) return true;
      return countingAnnotations.some((name) => before?.annotations?.[name] !== after?.annotations?.[name]);
    }
    case "generic":
      return false;
  }
}
