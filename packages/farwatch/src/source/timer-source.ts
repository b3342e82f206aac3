import type { GenericEvent } from "../event/source-event.ts";
import { createTaskScope } from "../flow/task-scope.ts";
import type { Resource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import { createObjectTimers, declaredTimer, type ObjectTimerOptions } from "./object-timers.ts";
import { readUntilAborted } from "./read-until-aborted.ts";
import type { Context, Source } from "./source.ts";

export interface TimerSourceOptions<O extends KubeObject> extends ObjectTimerOptions<O> {
  /** Default: `timer-<plural>`. */
  readonly name?: string;
  /** Default: on the leader alone. */
  readonly needLeaderElection?: boolean;
}

/**
 * A generic event for each object each period, with the object's newest state, at phaseOf(uid) + n · period on the wall
 * clock. The times follow from the object alone, nothing is stored: they are the same after a restart, a fail-over and
 * a clock that was set. So 5,000 objects that start together are spread over their period from the first on, and none
 * waits longer than a period for its first event, or two for the next. A new object waits for its place like any other:
 * let its creation wake the reconciler. An object has at most one event waiting; one timer of the clock serves all of
 * them, and a change of one costs O(log n).
 *
 * With `doublings` the period is period · 2^k on the same grid. The points of a longer one are points of every shorter
 * one, so that an object that changes between them again and again is still never later than its longest period asks.
 *
 * A `period` that changes otherwise begins on a grid of its own, but the point that the object waited for is not put
 * off: it comes once more, if it is before the first of the new grid. So an object whose period changes again and again
 * is never later than its longest period asks either.
 *
 * A clock that is set, forward or back, makes no burst: each object is due at its next point from there, which is at
 * most two periods after its last event.
 *
 * A `period`, `doublings` or `key` that throws, or gives what it may not, is logged with the object's name, and that
 * object has no timer until it changes.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`.
 * @example
 * watch(
 *   timerSource(StorageBucket, { period: ({ spec }) => `${spec.periodSeconds}s`, floor: "5s" }),
 *   enqueueRequestForObject,
 * )
 */
export function timerSource<O extends KubeObject>(
  resource: Resource<O>,
  options: TimerSourceOptions<NoInfer<O>>,
): Source<O> {
  const declared = declaredTimer("timer", resource, options);

  async function* events({ cache, clock, log, signal }: Context): AsyncGenerator<GenericEvent<O>, void, undefined> {
    using timers = createObjectTimers(resource, { ...options, cache, clock, log });
    const { due, objects } = timers;
    await using scope = createTaskScope(signal);
    scope.run("watch", (watching) => timers.watch(watching));

    for await (const uid of readUntilAborted((until) => due.next(until), scope.signal)) {
      const object = objects.get(uid);
      if (object !== undefined) yield { type: "generic", object };
    }
    await scope.join();
  }

  return {
    ...declared,
    delivery: "atLeastOnce",
    durability: "process",
    overflow: { coalesce: ({ metadata }) => metadata.uid },
    restates: true,
    ...(options.informer === undefined ? { caches: [resource] } : {}),
    declare: ({ cache }) => cache.informer(resource, options.informer),
    events,
  };
}
