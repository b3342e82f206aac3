import type { Cache, Informer, InformerOptions } from "../cache/cache.ts";
import type { Clock } from "../clock/clock.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import { CodedError } from "../error/coded-error.ts";
import type { Logger } from "../observe/logger.ts";
import { groupResource, type Resource } from "../resource/resource.ts";
import { formatKey, type KubeObject, keyOf } from "../wire/object.ts";
import { createDueTimes, type DueTimes } from "./due-times.ts";
import { gridOf } from "./phase.ts";
import { checkFunctions, checkNeeded } from "./refuse-source.ts";
import { checkOptions, checkResource, declaredBy, type SourceOptions } from "./source-options.ts";

const defaultFloor: Duration = "1s";

/** When objects of a kind are due. */
export interface ObjectTimerOptions<O extends KubeObject> {
  /** How often this object is due; undefined or 0: never. Asked again when the object changes. Must be pure. */
  readonly period: (object: O) => Duration | undefined;
  /**
   * How many times the period is doubled now or, below 0, halved: a whole number from -10 to 10; default 0. Say less
   * than 0 for an object that is not well and should be looked at more often, more for one whose far side asks to slow
   * down. The object stays on its grid: a doubling leaves out every second point, a halving puts one between any two.
   * Asked with `period`. Must be pure.
   */
  readonly doublings?: (object: O) => number;
  /** Shorter periods, halved ones too, are lengthened to this; default 1 s. */
  readonly floor?: Duration;
  /** Gives an object its place in the period: objects with equal keys are due together; default: its uid. */
  readonly key?: (object: O) => string;
  /** Which objects; default: those of the cache's informer for the kind. */
  readonly informer?: InformerOptions<O>;
}

/** The objects of a kind, and when each is due, by uid. */
export interface ObjectTimers<O extends KubeObject> extends Disposable {
  readonly due: DueTimes;
  readonly informer: Informer<O>;
  /** In their newest state. */
  readonly objects: ReadonlyMap<string, O>;
  /** Follows the objects until the signal aborts; `onGone` is told of each that is deleted. */
  watch(signal: AbortSignal, onGone?: (uid: string) => void): Promise<void>;
}

/**
 * What a source declares that has a time for each object of a kind; of its own kind, `timer`, and the resource it has
 * its name.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`, naming the option.
 */
export function declaredTimer<O extends KubeObject>(
  kind: string,
  resource: Resource<O>,
  options: ObjectTimerOptions<O> & SourceOptions,
): ReturnType<typeof declaredBy> {
  checkResource(kind, resource);
  checkOptions(kind, options);
  const declared = declaredBy(options, `${kind}-${groupResource(resource)}`);
  const { name } = declared;
  checkNeeded(name, { period: options.period });
  checkFunctions(name, { doublings: options.doublings, key: options.key });
  givenMs(options.floor ?? defaultFloor, { doing: `make source ${name}`, what: "floor" });
  return declared;
}

export function createObjectTimers<O extends KubeObject>(
  resource: Resource<O>,
  options: ObjectTimerOptions<O> & { readonly cache: Cache; readonly clock: Clock; readonly log: Logger },
): ObjectTimers<O> {
  const { clock, log, period, doublings, key = ({ metadata }) => metadata.uid } = options;
  const floorMs = toMs(options.floor ?? defaultFloor);
  const objects = new Map<string, O>();
  const due = createDueTimes(clock);
  const informer = options.cache.informer(resource, options.informer);

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
        if (heldMs * 2 ** times > longestPeriodMs) throw tooLong(heldMs * 2 ** times);
        due.set(uid, gridOf(key(object), heldMs, times));
      }
    } catch (error) {
      due.delete(uid);
      log.error("Cannot tell when an object is due", { object: formatKey(keyOf(object)), error });
    }
  };

  return {
    due,
    informer,
    objects,
    async watch(signal, onGone): Promise<void> {
      for await (const { type, object } of informer.events(signal)) {
        const { uid } = object.metadata;
        if (type !== "delete") {
          place(object);
          continue;
        }
        objects.delete(uid);
        due.delete(uid);
        onGone?.(uid);
      }
      if (signal.aborted) return;
      throw new CodedError("SourceEnded", `Cannot go on with timers of ${groupResource(resource)}: its informer ended`);
    },
    [Symbol.dispose](): void {
      informer[Symbol.dispose]();
      due[Symbol.dispose]();
    },
  };
}

/**
 * Further off no date is, and sums of still larger numbers are none: they would lie among the due times of all others
 * without an order.
 */
const longestPeriodMs = 8.64e15;

function tooLong(periodMs: number): CodedError {
  return new CodedError(
    "InvalidDuration",
    `Cannot wait for a period of ${periodMs} ms: no date is so far off, give a shorter one, or none for an object that is never due`,
  );
}

function checkedDoublings(doublings: number): number {
  if (Number.isInteger(doublings) && Math.abs(doublings) <= 10) return doublings;
  throw new CodedError(
    "InvalidOption",
    `Cannot double a period ${String(doublings)} times: give a whole number from -10 to 10`,
  );
}
