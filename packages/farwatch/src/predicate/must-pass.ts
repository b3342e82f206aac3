import type { SourceEvent } from "../event/source-event.ts";
import type { ObjectMeta } from "../wire/object.ts";
import { handledAtAnnotation, pausedAnnotation, requestedAtAnnotation } from "../wire/runtime-annotation.ts";

/** A change of these counts, whatever else changed and whatever predicates say. */
const countingAnnotations = [requestedAtAnnotation, pausedAnnotation];

function metadataOf(object: unknown): Partial<ObjectMeta> | undefined {
  if (typeof object !== "object" || object === null || !("metadata" in object)) return undefined;
  const { metadata } = object;
  return typeof metadata === "object" && metadata !== null ? metadata : undefined;
}

/** Somebody has asked for a run, perhaps while nobody led, and no status says that it was had. */
function waitsForRun(object: unknown): boolean {
  const annotations = metadataOf(object)?.annotations;
  const token = annotations?.[requestedAtAnnotation];
  if (token === undefined || token === annotations?.[handledAtAnnotation]) return false;
  const { status } = object as { readonly status?: { readonly lastHandledRequest?: unknown } | null };
  return token !== status?.lastHandledRequest;
}

/**
 * True for an event that no predicate is asked about, because a controller that missed it would never finish: a delete, a create
 * of an object that is already being deleted or whose `farwatch.dev/requested-at` was not handled, the first appearance of
 * deletionTimestamp, and a changed `farwatch.dev/requested-at` or `farwatch.dev/paused`. Any object may be asked about, whether
 * it comes from a cluster or not.
 */
export function mustPass(event: SourceEvent<unknown>): boolean {
  switch (event.type) {
    case "delete":
      return true;
    case "create":
      return metadataOf(event.object)?.deletionTimestamp !== undefined || waitsForRun(event.object);
    case "update": {
      const before = metadataOf(event.oldObject);
      const after = metadataOf(event.object);
      if (before?.deletionTimestamp === undefined && after?.deletionTimestamp !== undefined) return true;
      return countingAnnotations.some((name) => before?.annotations?.[name] !== after?.annotations?.[name]);
    }
    case "generic":
      return false;
  }
}
