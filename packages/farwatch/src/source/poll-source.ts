import { isDeepStrictEqual } from "node:util";
import { type Duration, toMs } from "../clock/duration.ts";
import { CodedError } from "../error/coded-error.ts";
import type { ObjectEvent } from "../event/source-event.ts";
import type { CircuitBreaker } from "../limit/circuit-breaker.ts";
import type { RateLimiter } from "../limit/rate-limiter.ts";
import { groupResource, type Resource } from "../resource/resource.ts";
import { formatKey, type KubeObject, keyOf } from "../wire/object.ts";
import { createDueTimes } from "./due-times.ts";
import { createObjectTimers, floorMsOf, type ObjectTimerOptions } from "./object-timers.ts";
import { gridOf } from "./phase.ts";
import { createPolledThings, type PolledThings } from "./polled-things.ts";
import { createPolling } from "./polling.ts";
import type { Source, SourceContext } from "./source.ts";

interface PollOptions<T> {
  /** No update is told between two things that are equal; default: a deep comparison. */
  readonly equal?: (before: T, now: T) => boolean;
  /** A poll that has not answered by then has failed, and its signal aborts; default 30 s. */
  readonly timeout?: Duration;
  /** Each poll waits for its turn there; a turn that would come too late is a failed poll. */
  readonly rateLimiter?: RateLimiter;
  /** While its circuit is open no poll is made; each that was due has failed. */
  readonly circuitBreaker?: CircuitBreaker;
  /** Events that may wait for a watch; default 1,024. */
  readonly capacity?: number;
  /** Default: on the leader alone. */
  readonly needLeaderElection?: boolean;
  /** readyz answers 503 while it is failing; default false. */
  readonly critical?: boolean;
}

/** One poll tells of all things. */
export interface PollListOptions<T> extends PollOptions<T> {
  readonly every: Duration;
  /**
   * All things that are there now, pages of them as an async generator gives them. Undefined when that cannot be told: a failed poll,
   * as a throw is. Its signal aborts at `timeout`, and when the source closes; it must end then.
   */
  readonly list: (
    ctx: SourceContext,
  ) => Iterable<T> | AsyncIterable<T> | undefined | Promise<Iterable<T> | AsyncIterable<T> | undefined>;
  /** Tells things apart; of two with equal keys the later counts. */
  readonly key: (thing: T) => string;
  /**
   * What was there when somebody last looked, from where you keep that, such as the status of objects; asked at each opening. What is
   * gone since then is told as deleted.
   */
  readonly known?: (ctx: SourceContext) => Iterable<T> | AsyncIterable<T> | Promise<Iterable<T> | AsyncIterable<T>>;
  /** Under which key of limiter and breaker; default: the name of the source. */
  readonly limitKey?: string;
  /** Default: `poll`. */
  readonly name?: string;
}

/** A poll for each object of a kind. */
export interface PollEachOptions<O extends KubeObject, T> extends PollOptions<T>, ObjectTimerOptions<O> {
  /** What there is of this object; undefined: nothing. As `list`. */
  readonly fetch: (object: O, ctx: SourceContext) => T | undefined | Promise<T | undefined>;
  /** What was there by the object's own account, such as its status; when nothing is, its first poll tells that it was deleted. */
  readonly known?: (object: O) => T | undefined;
  /** Polls that may be under way at once; default 16. */
  readonly concurrency?: number;
  /** Under which key of limiter and breaker this object counts, such as its endpoint with the name of a credential; default: the name of the source. */
  readonly limitKey?: (object: O) => string;
  /** Default: `poll-<plural>`. */
  readonly name?: string;
}

/** What was found for an object of a kind. */
export interface Polled<O, T> {
  /** In the state in which it was polled. */
  readonly subject: O;
  readonly value: T;
}

/**
 * Create, update and delete events of things that can only be asked for, by comparing each answer with what was told before.
 *
 * One poll tells of all (`list`), or one of each object of a kind (`fetch`). The second has the times of `timerSource`: phase(uid) + n ·
 * period on the wall clock, so that polls are spread, and the same after a restart. The first polls at once when it is opened, then every
 * `every` on a grid of its own; opened again within `every` it waits for the grid.
 *
 * - Events: the first poll of an opening that succeeds tells everything that is there (`create`, `inInitialList`), and what is gone of
 *   that which was told before, or is in `known` (`delete`, `stateUnknown`). After that, what changed. An object of Kubernetes that is
 *   deleted is polled no more, and no event tells of what belonged to it.
 * - Failures: a poll that throws, or takes longer than `timeout`, is counted (`farwatch_source_failed_polls_total`) and logged; the
 *   next comes at its time, whatever other objects do. The source shows as failing while the last polls of all objects failed. Two polls
 *   of one object never overlap: one that ignores its signal is waited for, which counts as failed polls, while others go on.
 * - Delivery: at least once. What comes and goes between two polls is not seen. While an event waits, a later one of its key merges into it.
 * - Durability: `process`. After a restart all that is there is told anew, so only a deletion can be missed, unless `known` has it.
 *   A deletion is acknowledged when it was worked on, and told again when it is given back.
 * - Back pressure: while events of a poll are not taken, what they belong to is not polled. At most `capacity` things wait, each once.
 * - Leader need: open on the leader alone, or everywhere with `needLeaderElection: false`. Authentication: that of your `list` or `fetch`.
 *
 * The last answer is kept in memory. For polls over HTTP see `conditionalGet`.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`.
 * @example
 * watch(
 *   pollSource({ every: "1m", list: ({ signal }) => registry.images({ signal }), key: ({ digest }) => digest }),
 *   enqueueRequestsFromMapFunc(({ repository }) => [{ namespace: "default", name: repository }]),
 * )
 * @example
 * watch(
 *   pollSource(Invoice, { period: () => "5m", fetch: ({ spec }, { signal }) => get(spec.url, { signal }) }),
 *   enqueueRequestsFromMapFunc(({ subject }) => [keyOf(subject)]),
 * )
 */
export function pollSource<T>(options: PollListOptions<T>): Source<T>;
export function pollSource<O extends KubeObject, T>(
  resource: Resource<O>,
  options: PollEachOptions<NoInfer<O>, T>,
): Source<Polled<O, T>>;
export function pollSource<O extends KubeObject, T>(
  ...args: readonly [PollListOptions<T>] | readonly [Resource<O>, PollEachOptions<O, T>]
): Source<T> | Source<Polled<O, T>> {
  return args.length === 1 ? pollList(args[0]) : pollEach(args[0], args[1]);
}

const everything = "";

function pollList<T>(options: PollListOptions<T>): Source<T> {
  const { list, key, known } = options;
  const name = options.name ?? "poll";
  const everyMs = toMs(options.every);
  if (everyMs === 0) refuse(name, "every is 0, give one above 0");
  const limits = limitsOf(options, name);
  const things = createPolledThings<T>(options.equal ?? isDeepStrictEqual);
  let lastMs = Number.NEGATIVE_INFINITY;

  return {
    ...declared(options, name),
    overflow: { coalesce: key },
    async *events(ctx): AsyncGenerator<ObjectEvent<T>, void, undefined> {
      const { clock, signal } = ctx;
      let isFirst = true;
      let before: ReadonlyMap<string, T> | undefined;
      using due = createDueTimes(clock);
      due.set(everything, gridOf(name, everyMs, 0));

      async function ask(_key: string, asking: AbortSignal): Promise<Iterable<ObjectEvent<T>>> {
        lastMs = clock.elapsed();
        const asked = { ...ctx, signal: asking };
        before ??= await byKey((await known?.(asked)) ?? [], key);
        const listed = await list(asked);
        if (listed === undefined) throw new CodedError("NotFound", `Cannot poll ${name}: its list gave nothing`);
        return compared(await byKey(listed, key), before);
      }
      function* compared(now: ReadonlyMap<string, T>, known: ReadonlyMap<string, T>): Iterable<ObjectEvent<T>> {
        for (const each of new Set([...now.keys(), ...things.keys(), ...known.keys()])) {
          const event = things.told(each, now.get(each), { isFirst, known: known.get(each) });
          if (event !== undefined) yield event;
        }
        isFirst = false;
        before = new Map();
      }

      const polling = createPolling(
        {
          ...limits,
          due,
          concurrency: 1,
          limitKeyOf: () => options.limitKey ?? name,
          nameOf: () => name,
          ask,
        },
        ctx,
      );
      if (!signal.aborted && clock.elapsed() - lastMs >= everyMs) polling.pollNow(everything);
      yield* polling.events();
    },
  };
}

function pollEach<O extends KubeObject, T>(
  resource: Resource<O>,
  options: PollEachOptions<O, T>,
): Source<Polled<O, T>> {
  const { fetch, known, limitKey, concurrency = 16, equal = isDeepStrictEqual } = options;
  const name = options.name ?? `poll-${groupResource(resource)}`;
  floorMsOf(options);
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    refuse(name, `concurrency is ${concurrency}, give a whole number of at least 1`);
  }
  const limits = limitsOf(options, name);
  type Found = Polled<O, T>;
  const things: PolledThings<Found> = createPolledThings((one, other) => equal(one.value, other.value));

  return {
    ...declared(options, name),
    overflow: { coalesce: ({ subject }) => subject.metadata.uid },
    ...(options.informer === undefined ? { caches: [resource] } : {}),
    declare: ({ cache }) => cache.informer(resource, options.informer),
    async *events(ctx): AsyncGenerator<ObjectEvent<Found>, void, undefined> {
      using timers = createObjectTimers(resource, { ...options, cache: ctx.cache, clock: ctx.clock, log: ctx.log });
      const { due, objects, informer } = timers;
      /** Whose first poll of this opening has told what there is. */
      const looked = new Set<string>();

      async function ask(uid: string, signal: AbortSignal): Promise<Iterable<ObjectEvent<Found>>> {
        const subject = objects.get(uid);
        if (subject === undefined) return [];
        const value = await fetch(subject, { ...ctx, signal });
        const before = looked.has(uid) ? undefined : known?.(subject);
        return compared(
          uid,
          value === undefined ? undefined : { subject, value },
          before === undefined ? undefined : { subject, value: before },
        );
      }
      function* compared(
        uid: string,
        found: Found | undefined,
        before: Found | undefined,
      ): Iterable<ObjectEvent<Found>> {
        // Deleted while it was polled.
        if (!objects.has(uid)) return;
        const event = things.told(uid, found, { isFirst: !looked.has(uid), known: before });
        looked.add(uid);
        if (event !== undefined) yield event;
      }

      const polling = createPolling(
        {
          ...limits,
          due,
          concurrency,
          limitKeyOf: (uid) => {
            const object = objects.get(uid);
            return object === undefined ? name : (limitKey?.(object) ?? name);
          },
          nameOf: (uid) => {
            const object = objects.get(uid);
            return object === undefined ? uid : formatKey(keyOf(object));
          },
          ask,
          async beside(signal): Promise<void> {
            await informer.synced(signal);
            const there = new Set(informer.list().map(({ metadata }) => metadata.uid));
            things.forget([...things.keys()].filter((uid) => !there.has(uid)));
            await timers.watch(signal, (uid) => {
              things.forget([uid]);
              looked.delete(uid);
              polling.forget(uid);
            });
          },
        },
        ctx,
      );
      yield* polling.events();
    },
  };
}

/** What the options say that both forms have in common. */
function declared<T>(options: PollOptions<T>, name: string) {
  return {
    name,
    delivery: "atLeastOnce",
    durability: "process",
    restates: true,
    capacity: options.capacity,
    needLeaderElection: options.needLeaderElection ?? true,
    critical: options.critical ?? false,
  } as const;
}

function limitsOf<T>({ timeout = "30s", rateLimiter, circuitBreaker }: PollOptions<T>, source: string) {
  return { source, timeoutMs: toMs(timeout), rateLimiter, circuitBreaker };
}

async function byKey<T>(
  things: Iterable<T> | AsyncIterable<T>,
  key: (thing: T) => string,
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>();
  for await (const thing of things) found.set(key(thing), thing);
  return found;
}

function refuse(name: string, why: string): never {
  throw new CodedError("InvalidOption", `Cannot make source ${name}: ${why}`);
}
