import { isDeepStrictEqual } from "node:util";
import { createBreather } from "../clock/breather.ts";
import type { Clock } from "../clock/clock.ts";
import type { Duration } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import { CodedError } from "../error/coded-error.ts";
import type { ObjectEvent } from "../event/source-event.ts";
import { createDueTimes } from "./due-times.ts";
import { gridOf } from "./phase.ts";
import { limitsOf, type PollOptions, pollDeclared } from "./poll-options.ts";
import { createPolledThings } from "./polled-things.ts";
import { createPolling } from "./polling.ts";
import { checkFunctions, checkNeeded } from "./refuse-source.ts";
import type { Source, SourceContext } from "./source.ts";
import { checkOptions, declaredBy } from "./source-options.ts";

/** One poll tells of all things. */
export interface PollListOptions<T> extends PollOptions<T> {
  readonly every: Duration;
  /**
   * All things that are there now, pages of them as an async generator gives them. Undefined when that cannot be told:
   * a failed poll, as a throw is. Its signal aborts at `timeout`, and when the source closes; it must end then.
   */
  readonly list: (
    ctx: SourceContext,
  ) => Iterable<T> | AsyncIterable<T> | undefined | Promise<Iterable<T> | AsyncIterable<T> | undefined>;
  /** Tells things apart; of two with equal keys the later counts. What gives no text makes the poll a failed one. */
  readonly key: (thing: T) => string;
  /**
   * What was there when somebody last looked, from where you keep that, such as the status of objects; asked at each
   * opening. What is gone since then is told as deleted.
   */
  readonly known?: (ctx: SourceContext) => Iterable<T> | AsyncIterable<T> | Promise<Iterable<T> | AsyncIterable<T>>;
  /** Under which key of limiter and breaker; default: the name of the source. */
  readonly limitKey?: string;
  /** Default: `poll`. */
  readonly name?: string;
}

const everything = "";

/** A source that polls all things at once. */
export function pollList<T>(options: PollListOptions<T>): Source<T> {
  checkOptions("poll", options);
  const { list, key, known, capacity } = options;
  const declared = declaredBy(options, "poll");
  const everyMs = givenMs(options.every, { doing: `make source ${declared.name}`, what: "every" });
  checkNeeded(declared.name, { list, key });
  checkFunctions(declared.name, { known });
  const limits = limitsOf(options, declared.name);
  const things = createPolledThings<T>(options.equal ?? isDeepStrictEqual);
  let lastMs = Number.NEGATIVE_INFINITY;

  return {
    ...declared,
    ...pollDeclared,
    capacity,
    overflow: { coalesce: key },
    async *events(ctx): AsyncGenerator<ObjectEvent<T>, void, undefined> {
      const { name, clock, signal } = ctx;
      let isFirst = true;
      let before: ReadonlyMap<string, T> | undefined;
      using due = createDueTimes(clock);
      due.set(everything, gridOf(name, everyMs, 0));

      async function ask(_key: string, asking: AbortSignal): Promise<Iterable<ObjectEvent<T>>> {
        lastMs = clock.elapsed();
        const asked = { ...ctx, signal: asking };
        const reading = { name, key, clock, signal: asking };
        before ??= await byKey((await known?.(asked)) ?? [], { ...reading, what: "known" });
        const listed = await list(asked);
        if (listed === undefined) throw new CodedError("NotFound", `Cannot poll ${name}: its list gave nothing`);
        return compared(await byKey(listed, { ...reading, what: "list" }), before);
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

interface Reading<T> {
  /** Of the source. */
  readonly name: string;
  /** The option that gives the things. */
  readonly what: "list" | "known";
  readonly key: (thing: T) => string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Reads no further once the signal has aborted, and lets it abort: what gives things without end, and looks at no
 * signal, is left.
 */
async function byKey<T>(
  things: Iterable<T> | AsyncIterable<T>,
  { name, what, key, clock, signal }: Reading<T>,
): Promise<ReadonlyMap<string, T>> {
  const refuse = (state: string): never => {
    throw new CodedError("InvalidOption", `Cannot poll ${name}: its ${state}`);
  };
  // What a far side has answered is of no type that the compiler knows of.
  if (!(Symbol.iterator in Object(things)) && !(Symbol.asyncIterator in Object(things)))
    refuse(`${what} gave what cannot be iterated, give an array or an async generator`);
  const found = new Map<string, T>();
  const breathe = createBreather(clock);
  for await (const thing of things) {
    const turn = breathe();
    if (turn !== undefined) await turn;
    signal.throwIfAborted();
    const named = key(thing);
    // Things without a key would all be one.
    if (typeof named !== "string")
      refuse(`key gave ${typeof named} for a thing of its ${what}, give text that names the thing`);
    found.set(named, thing);
  }
  return found;
}
