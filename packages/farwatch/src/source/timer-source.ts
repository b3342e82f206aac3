import type { InformerOptions } from "../cache/cache.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import { CodedError } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { createTaskScope } from "../flow/task-scope.ts";
import { groupResource, type Resource } from "../resource/resource.ts";
import { formatKey, type KubeObject, keyOf } from "../wire/object.ts";
import { createDueTimes } from "./due-times.ts";
import { gridOf } from "./phase.ts";
import type { Context, Source } from "./source.ts";

export interface TimerSourceOptions<O extends KubeObject> {
  /** How often this object is due; undefined or 0: never. Asked again when the object changes. Must be pure. */
  readonly period: (object: O) => Duration | undefined;
  /**
   * How many times the period is doubled now or, below 0, halved: a whole number from -10 to 10; default 0. Say less than 0 for an
   * object that is not well and should be looked at more often, more for one whose far side asks to slow down. The object stays on its
   * grid: a doubling leaves out every second point, a halving puts one between any two. Asked with `period`. Must be pure.
   */
  readonly doublings?: (object: O) => number;
  /** Shorter periods, halved ones too, are lengthened to this; default 1 s. */
  readonly floor?: Duration;
  /** Gives an object its place in the period: objects with equal keys are due together; default: its uid. */
  readonly key?: (object: O) => string;
  /** Which objects; default: those of the cache's informer for the kind. */
  readonly informer?: InformerOptions<O>;
  /** Default: `timer-<plural>`. */
  readonly name?: string;
  /** Default: on the leader alone. */
  readonly needLeaderElection?: boolean;
}

/**
 * A generic event for each object each period, with the object's newest state, at phaseOf(uid) + n · period on the wall clock.
 * The times follow from the object alone, nothing is stored: they are the same after a restart, a fail-over and a clock that was
 * set. So 5,000 objects that start together are spread over their period from the first on, and none waits longer than a period
 * for its first event, or two for the next. A new object waits for its place like any other: let its creation wake the reconciler.
 * An object has at most one event waiting; one timer of the clock serves all of them, and a change of one costs O(log n).
 *
 * With `doublings` the period is period · 2^k on the same grid. The points of a longer one are points of every shorter one, so that an
 * object that changes between them again and again is still never later than its longest period asks.
 *
 * A clock that is set, forward or back, makes no burst: each object is due at its next point from there, which is at most two
 * periods after its last event.
 *
 * A `period`, `doublings` or `key` that throws, or gives what it may not, is logged with the object's name, and that object has no timer until it changes.
 *
 * @example
 * watch(timerSource(StorageBucket, { period: ({ spec }) => `${spec.periodSeconds}s`, floor: "5s" }), enqueueRequestForObject)
 */
export function timerSource<O extends KubeObject>(
  resource: Resource<O>,
  options: TimerSourceOptions<NoInfer<O>>,
): Source<O> {
  const floorMs = toMs(options.floor ?? "1s");
  const { period, doublings, key = ({ metadata }) => metadata.uid, informer: informerOptions } = options;
  if (floorMs === 0) throw new CodedError("InvalidOption", "Cannot make a timer: floor is 0, give one above 0");

  async function* events({ cache, clock, log, signal }: Context): AsyncGenerator<GenericEvent<O>, void, undefined> {
    const objects = new Map<string, O>();
    using due = createDueTimes(clock);
    using informer = cache.informer(resource, informerOptions);
    await using scope = createTaskScope(signal);

    const place = (object: O): void => {
      const { uid } = object.metadata;
      objects.set(uid, object);
      try {
        const duration = period(object);
        const periodMs = duration === undefined ? 0 : toMs(duration);
        if (periodMs === 0) due.delete(uid);
        else {
          const heldMs = Math.max(periodMs, floorMs);
          const asked = doublings === undefined ? 0 : checkedDoublings(doublings(object));
          // As often as the floor allows, so that the object stays on its grid.
          const times = Math.max(asked, Math.ceil(Math.log2(floorMs / heldMs)));
          due.set(uid, gridOf(key(object), heldMs, times));
        }
      } catch (error) {
        due.delete(uid);
        log.error("Cannot tell when an object is due", { object: formatKey(keyOf(object)), error });
      }
    };

    scope.run("watch", async (watching) => {
      for await (const { type, object } of informer.events(watching)) {
        if (type === "delete") {
          objects.delete(object.metadata.uid);
          due.delete(object.metadata.uid);
        } else {
          place(object);
        }
      }
      if (!watching.aborted) {
        throw new CodedError(
          "SourceEnded",
          `Cannot go on with timers of ${groupResource(resource)}: its informer ended`,
        );
      }
    });

    while (!scope.signal.aborted) {
      let uid: string;
      try {
        uid = await due.next(scope.signal);
      } catch (reason) {
        if (!scope.signal.aborted) throw reason;
        break;
      }
      const object = objects.get(uid);
      if (object !== undefined) yield { type: "generic", object };
    }
    await scope.join();
  }

  return {
    name: options.name ?? `timer-${groupResource(resource)}`,
    numbered: options.name === undefined,
    delivery: "atLeastOnce",
    durability: "process",
    overflow: { coalesce: ({ metadata }) => metadata.uid },
    needLeaderElection: options.needLeaderElection ?? true,
    restates: true,
    ...(informerOptions === undefined ? { caches: [resource] } : {}),
    declare: ({ cache }) => cache.informer(resource, informerOptions),
    events,
  };
}

function checkedDoublings(doublings: number): number {
  if (Number.isInteger(doublings) && Math.abs(doublings) <= 10) return doublings;
  throw new CodedError(
    "InvalidOption",
    `Cannot double a period ${String(doublings)} times: give a whole number from -10 to 10`,
  );
}
