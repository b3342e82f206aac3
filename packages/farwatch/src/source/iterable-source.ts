import { addAbortSignal, Readable } from "node:stream";
import { checkText } from "../error/given-text.ts";
import type { Acknowledgement, SourceEvent } from "../event/source-event.ts";
import type { Overflow } from "../flow/channel.ts";
import { checkBounds, checkChoices, checkFlags, checkFunctions, checkNeeded, refuseSource } from "./refuse-source.ts";
import type { Source, SourceContext } from "./source.ts";
import { createSourceMetrics } from "./source-metrics.ts";
import { checkOptions, declaredBy } from "./source-options.ts";

/** What an iterable is opened with. */
export interface IterableContext extends SourceContext {
  /** Counts an event that the iterable had to drop, in `farwatch_source_dropped_events_total`. */
  dropped(): void;
}

interface IterableSourceBase<T> {
  /** Default `atMostOnce`: what the far side sent while nobody listened is lost, unless you know better. */
  readonly delivery?: "atLeastOnce" | "atMostOnce";
  /** Default `wait`. */
  readonly overflow?: Overflow<T>;
  /** Events that may wait for a watch; default 1,024. */
  readonly capacity?: number;
  /** Events that may be under way and not worked on; beyond it the iterable is not read; default 1,000. */
  readonly maxUnacknowledged?: number;
  /** Default: on the leader alone. */
  readonly needLeaderElection?: boolean;
  /** The iterable may end for good; default: its end is a fault, and it is opened again. */
  readonly ends?: boolean;
  /** readyz answers 503 while it is failing; default false. */
  readonly critical?: boolean;
}

/** Values become events: by default generic ones that carry the value. */
export interface ProcessIterableOptions<V, T> extends IterableSourceBase<T> {
  readonly durability?: "process";
  readonly event?: (value: V) => SourceEvent<T>;
}

/** An origin that delivers again what was not acknowledged: each event must carry its acknowledgement. */
export interface OriginIterableOptions<V, T> extends IterableSourceBase<T> {
  readonly durability: "origin";
  readonly event: (value: V) => SourceEvent<T> & { readonly ack: Acknowledgement };
}

/**
 * Events from any AsyncIterable: a subscription, a poller, a cursor, a Node stream. `open` is called with a context
 * whose signal aborts when the stream shall end; it is called again, with backoff from 1 s to 1 min, after the iterable
 * threw or ended. What it yielded is kept while this process lives, until it was worked on. The iterable is read no
 * faster than its events are taken.
 *
 * A Readable of node:stream is destroyed when the signal aborts, so that it need not know of it; make one of a web
 * stream with `Readable.fromWeb`. An AbortError after the abort is an end. Events of an EventEmitter or an EventTarget
 * come through `eventsOf`, which keeps 1,024 of them and drops the oldest of more, counted: an emitter cannot be made
 * to wait.
 *
 * @throws CodedError `InvalidOption` for a delivery or durability that is none, and what is no function.
 * @example
 * iterableSource("invoices", async function* ({ clock, signal }) {
 *   for await (const _ of clock.ticks("10s", signal)) yield* await fetchInvoices(signal);
 * })
 * @example
 * iterableSource("lines", () => process.stdin.setEncoding("utf8"), { ends: true })
 * @example
 * iterableSource("flags", (ctx) => eventsOf(flags, "change", ctx))
 */
export function iterableSource<V, T = V>(
  name: string,
  open: (ctx: IterableContext) => AsyncIterable<V>,
  options: ProcessIterableOptions<V, T> | OriginIterableOptions<V, T> = {},
): Source<T> {
  checkText(name, { doing: "make an iterableSource", what: "name", give: "a text" });
  if (typeof open !== "function") refuseSource(name, "it has nothing to open, give a function that gives the iterable");
  checkOptions(name, options);
  const declared = declaredBy({ ...options, name }, name);
  const { overflow = "wait", capacity, maxUnacknowledged, ends = false } = options;
  if (options.durability === "origin") checkNeeded(name, { event: options.event });
  checkFunctions(name, { event: options.event });
  checkBounds(name, { capacity, maxUnacknowledged });
  checkFlags(name, { ends });
  if (typeof overflow === "object" && overflow !== null) checkNeeded(name, { "overflow.coalesce": overflow.coalesce });
  else checkChoices(name, { overflow: { given: overflow, of: ["wait", "dropOldest"] } });
  checkChoices(name, {
    delivery: { given: options.delivery, of: ["atLeastOnce", "atMostOnce"] },
    durability: { given: options.durability, of: ["process", "origin"] },
  });
  // Without `event` T is V, which is what the default says, but the compiler cannot conclude it.
  const eventOf = options.event ?? ((value: V): SourceEvent<T> => ({ type: "generic", object: value as unknown as T }));
  return {
    ...declared,
    delivery: options.delivery ?? (options.durability === "origin" ? "atLeastOnce" : "atMostOnce"),
    durability: options.durability ?? "process",
    overflow,
    capacity,
    maxUnacknowledged,
    ends,
    events(ctx): AsyncIterable<SourceEvent<T>> {
      const metrics = createSourceMetrics(ctx.metrics);
      const values = open({ ...ctx, dropped: () => metrics.dropped(ctx.name, "*") });
      if (values instanceof Readable) addAbortSignal(ctx.signal, values);
      return { [Symbol.asyncIterator]: () => mapped(values[Symbol.asyncIterator](), ctx.signal, eventOf) };
    },
  };
}

/** No generator: its `return()` would wait behind a pending `next()`, and the iterator's own could not end it. */
function mapped<V, E>(values: AsyncIterator<V>, signal: AbortSignal, map: (value: V) => E): AsyncIterator<E> {
  const next = async (): Promise<IteratorResult<V>> => {
    try {
      return await values.next();
    } catch (error) {
      // How Node's own streams and iterators say that they were told to end.
      if (signal.aborted && error instanceof Error && error.name === "AbortError")
        return { done: true, value: undefined };
      throw error;
    }
  };
  return {
    async next(): Promise<IteratorResult<E>> {
      const result = await next();
      if (result.done) return { done: true, value: undefined };
      try {
        return { done: false, value: map(result.value) };
      } catch (error) {
        // A reader takes an iterator that threw for closed.
        await values.return?.();
        throw error;
      }
    },
    async return(): Promise<IteratorResult<E>> {
      await values.return?.();
      return { done: true, value: undefined };
    },
  };
}
