import type { Enqueued } from "../event/request.ts";
import { isThenable } from "../flow/thenable.ts";
import type { Context } from "../source/source.ts";
import type { EventHandler } from "./event-handler.ts";
import { mergeRequests } from "./merge-requests.ts";

/** The requests that an object of an event causes; for the new state of an update `oldObject` is the state before. */
export type MapFunc<T> = (object: T, ctx: Context, oldObject?: T) => Iterable<Enqueued> | Promise<Iterable<Enqueued>>;

/**
 * The requests that a function makes of the event's object. On an update it is called with the new state, then with the
 * old one, and each request is made once: an object that pointed to `a` and points to `b` now wakes both.
 *
 * @example
 * enqueueRequestsFromMapFunc(async ({ bucket }, { cache }) =>
 *   (await cache.list(StorageBucket, { index: ["spec.bucket", bucket] })).map(keyOf))
 */
export function enqueueRequestsFromMapFunc<T>(map: MapFunc<T>): EventHandler<T> {
  return (event, ctx) => {
    if (event.type !== "update") return map(event.object, ctx);
    const ofNew = map(event.object, ctx, event.oldObject);
    if (isThenable(ofNew)) {
      return Promise.resolve(ofNew).then(async (requests) => mergeRequests(requests, await map(event.oldObject, ctx)));
    }
    const ofOld = map(event.oldObject, ctx);
    return isThenable(ofOld)
      ? Promise.resolve(ofOld).then((requests) => mergeRequests(ofNew, requests))
      : mergeRequests(ofNew, ofOld);
  };
}
