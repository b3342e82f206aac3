import type { Duration } from "../clock/duration.ts";
import type { ObjectKey } from "../wire/object.ts";

/** What a reconciler is asked to look at: namespace and name alone, so that requests for one object merge. */
export type Request = ObjectKey;

/** Lanes of the queue; a higher number goes first. Anything between is allowed. */
export const priorities = {
  /** Objects of an initial list: they wait behind whatever is happening now. */
  initialList: -100,
  normal: 0,
} as const;

/** What a handler yields: a request, perhaps later, perhaps in another lane. */
export interface Enqueued extends Request {
  /** Not before this much time has passed. */
  readonly after?: Duration | undefined;
  /** The lane; default: `priorities.normal`, or `priorities.initialList` for an event of an initial list. */
  readonly priority?: number | undefined;
}
