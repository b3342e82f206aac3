import type { Acknowledgement, SourceEvent } from "../event/source-event.ts";
import type { Overflow } from "../flow/channel.ts";
import type { Context, Source } from "./source.ts";

interface IterableSourceBase<T> {
  /** Default `atMostOnce`: what the far side sent while nobody listened is lost, unless you know better. */
  readonly delivery?: "atLeastOnce" | "atMostOnce";
  /** Default `wait`. */
  readonly overflow?: Overflow<T>;
  readonly capacity?: number;
  readonly maxUnacknowledged?: number;
  /** Default: on the leader alone. */
  readonly needLeaderElection?: boolean;
  /** The iterable may end for good; default: its end is a fault, and it is opened again. */
  readonly ends?: boolean;
  /** readyz answers 503 while it is failing. */
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
 * Events from any AsyncIterable: a subscription, a poller, a cursor. `open` is called with a context whose signal aborts when the
 * stream shall end; it is called again, with backoff from 1 s to 1 min, after the iterable threw or ended. What it yielded is kept
 * while this process lives, until it was worked on.
 *
 * @example
 * iterableSource("invoices", async function* ({ clock, signal }) {
 *   for await (const _ of clock.ticks("10s", signal)) yield* await fetchInvoices(signal);
 * })
 */
export function iterableSource<V, T = V>(
  name: string,
  open: (ctx: Context) => AsyncIterable<V>,
  options: ProcessIterableOptions<V, T> | OriginIterableOptions<V, T> = {},
): Source<T> {
  // Without `event` T is V, which is what the default says, but the compiler cannot conclude it.
  const eventOf = options.event ?? ((value: V): SourceEvent<T> => ({ type: "generic", object: value as unknown as T }));
  return {
    name,
    delivery: options.delivery ?? (options.durability === "origin" ? "atLeastOnce" : "atMostOnce"),
    durability: options.durability ?? "process",
    overflow: options.overflow ?? "wait",
    capacity: options.capacity,
    maxUnacknowledged: options.maxUnacknowledged,
    needLeaderElection: options.needLeaderElection ?? true,
    ends: options.ends ?? false,
    critical: options.critical ?? false,
    async *events(ctx): AsyncGenerator<SourceEvent<T>, void, undefined> {
      for await (const value of open(ctx)) yield eventOf(value);
    },
  };
}
