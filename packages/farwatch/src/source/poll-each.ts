import { isDeepStrictEqual } from "node:util";
import type { ObjectEvent } from "../event/source-event.ts";
import type { Resource } from "../resource/resource.ts";
import { formatKey, type KubeObject, keyOf } from "../wire/object.ts";
import { createObjectTimers, declaredTimer, type ObjectTimerOptions } from "./object-timers.ts";
import { limitsOf, type PollOptions, pollDeclared } from "./poll-options.ts";
import { createPolledThings, type PolledThings } from "./polled-things.ts";
import { createPolling } from "./polling.ts";
import { checkBounds, checkFunctions, checkNeeded } from "./refuse-source.ts";
import type { Source, SourceContext } from "./source.ts";

/** A poll for each object of a kind. */
export interface PollEachOptions<O extends KubeObject, T> extends PollOptions<T>, ObjectTimerOptions<O> {
  /** What there is of this object; undefined: nothing. As `list`. */
  readonly fetch: (object: O, ctx: SourceContext) => T | undefined | Promise<T | undefined>;
  /**
   * What was there by the object's own account, such as its status; when nothing is, its first poll tells that it was
   * deleted.
   */
  readonly known?: (object: O) => T | undefined;
  /**
   * Polls that may be under way at once; default 16. Objects that did not answer in time take three quarters at the most.
   */
  readonly concurrency?: number;
  /**
   * Under which key of limiter and breaker this object counts, such as its endpoint with the name of a credential;
   * default: the name of the source.
   */
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

/** A source that polls each object of a kind. */
export function pollEach<O extends KubeObject, T>(
  resource: Resource<O>,
  options: PollEachOptions<O, T>,
): Source<Polled<O, T>> {
  const declared = declaredTimer("poll", resource, options);
  const { name } = declared;
  const { fetch, known, limitKey, concurrency = 16, equal = isDeepStrictEqual, capacity } = options;
  checkNeeded(name, { fetch });
  checkFunctions(name, { known, limitKey });
  checkBounds(name, { concurrency });
  const limits = limitsOf(options, name);
  type Found = Polled<O, T>;
  const things: PolledThings<Found> = createPolledThings((one, other) => equal(one.value, other.value));

  return {
    ...declared,
    ...pollDeclared,
    capacity,
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
            return object === undefined ? ctx.name : (limitKey?.(object) ?? ctx.name);
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
