import type { Cache } from "../cache/cache.ts";
import type { Client } from "../client/client.ts";
import type { Clock } from "../clock/clock.ts";
import type { SourceEvent } from "../event/source-event.ts";
import type { Overflow } from "../flow/channel.ts";
import type { Ingress } from "../ingress/ingress.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { AnyResource } from "../resource/resource.ts";

/** What a source, a handler or a runnable is given. */
export interface Context {
  /** Aborts when the work shall end. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  readonly cache: Cache;
}

/** What a source's stream is given. */
export interface SourceContext extends Context {
  /** The source's in this manager, for what it counts and says: its own, or that with a number (`numbered`). */
  readonly name: string;
  /** Not fenced: for questions that a source has of the API server, such as a TokenReview. */
  readonly client: Client;
  readonly ingress: Ingress;
  readonly health: SourceHealth;
  /** For counts of its own; names begin with `farwatch_source_` and labels are bounded. */
  readonly metrics: Metrics;
}

/**
 * How a source says that its stream stands but does not do its work, such as a poller whose polls fail: what it has
 * told need not be told anew, as it would be after a throw. The state is what was said last, and an event says
 * `serving`. After the stream has closed nothing is heard.
 */
export interface SourceHealth {
  /** It shows as failing with this error, without secrets, in readyz, metrics and `/debug/sources`. */
  failing(error: unknown): void;
  serving(): void;
  /**
   * Nothing more is taken from the origin, or from a part of it, before events that were yielded are settled: as much
   * is held as may be (`full`), or the origin goes no further than the oldest that is not (`oldest`). Undefined: it goes
   * on. While these events wait for requests that fail, the source shows as `Held`.
   */
  blocked(by: SourceBlock | undefined): void;
}

export type SourceBlock = "full" | "oldest";

/**
 * An object that a source has for itself, to annotate: one of a kind that nobody else watches much, not a Lease. It
 * must be there.
 */
export interface OwnObject {
  readonly resource: AnyResource;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/**
 * Where events come from. `events` is called once per manager, its stream is shared by every watch of this source, and
 * it is called again, with backoff, when the stream throws or ends without `ends` (promise 3).
 *
 * When the source is no longer needed here (the lead is lost, the process stops, nobody watches any more) no further
 * value is asked for, and what waits in buffers is given back. The stream stays open until each event that carries an
 * `ack` is settled, as long as the manager's grace lasts: a reconcile that ends after the stop is still acknowledged. A
 * value that comes meanwhile is given back. Then `ctx.signal` aborts; the stream must end at that, having settled at
 * its origin what it was told by then, and what it opened is closed. It must not buffer without bound. Events without
 * `ack` keep no stream open.
 *
 * With `durability: "origin"` each event carries an `ack`, and the origin delivers again what was not acknowledged. An
 * event without `ack` that is given back (the lead is lost, the process stops) waits beside its source, in this
 * process, for the next opening. `sourceContract` of @farwatch/testing puts a source through all of this.
 */
export interface Source<T> {
  /** Unique in a manager; names the source in logs, metrics, health and errors. */
  readonly name: string;
  /**
   * The name follows from what the source does and nobody chose it: a second source of that name gets a number instead
   * of being refused.
   */
  readonly numbered?: boolean | undefined;
  readonly delivery: "atLeastOnce" | "atMostOnce";
  /**
   * `process`: events are kept while this process lives; `origin`: delivered again until acknowledged, so they survive
   * SIGKILL.
   */
  readonly durability: "process" | "origin";
  /** What happens in the buffer between this source and its watches when it is full. */
  readonly overflow: Overflow<T>;
  /** Events that may wait there; default 1,024. */
  readonly capacity?: number | undefined;
  /**
   * Events that may be unacknowledged at once; beyond it the stream is not read (promise 4); default 1,000. Events of a
   * source that `restates` are acknowledged by nobody and do not count.
   */
  readonly maxUnacknowledged?: number | undefined;
  /** The same by what `bytesOf` says of unacknowledged events together; default 16 MiB. */
  readonly maxUnacknowledgedBytes?: number | undefined;
  /** Opened on the leader alone (default), or on every replica. */
  readonly needLeaderElection?: boolean | undefined;
  /** The stream may end for good; otherwise its end is a fault. */
  readonly ends?: boolean | undefined;
  /** readyz answers 503 while this source is failing. */
  readonly critical?: boolean | undefined;
  /**
   * Each opening says `health.serving()` when it is connected: until then it has not recovered, or is `starting`,
   * however long it takes. Left out: a stream that has stood for ten seconds counts as serving.
   */
  readonly connects?: boolean | undefined;
  /**
   * Every opening tells anew all that matters, as a list before a watch does, and the next tick of a clock: events
   * without `ack` that still wait when the stream closes are dropped instead of kept.
   */
  readonly restates?: boolean | undefined;
  /** Kinds of which this source reads the whole cache: declared, synced and readable wherever it is watched. */
  readonly caches?: readonly AnyResource[] | undefined;
  /**
   * `queue` (default): what the handler gives goes into this replica's queue. `annotate`: it is written as
   * `farwatch.dev/requested-at` on the objects of the controller's kind, so that whichever replica leads sees it
   * through its watch; the event is acknowledged when the API server has stored that, and the source is open on every
   * replica.
   */
  readonly deliver?: "queue" | "annotate" | undefined;
  /**
   * With `annotate`: one annotation, on this object, stands for all requests of an event. Only for watches with
   * `enqueueAll`, whose requests do not depend on the event.
   */
  readonly annotates?: OwnObject | undefined;
  /**
   * Memory that an event's object takes, for a source whose events are as large as others make them. Left out: not
   * looked at.
   */
  bytesOf?(object: T): number;
  /**
   * Declares informers that the stream reads and paths that it serves, from when the source is first watched until it
   * is no more.
   */
  declare?(on: Pick<SourceContext, "name" | "cache" | "ingress">): Disposable;
  events(ctx: SourceContext): AsyncIterable<SourceEvent<T>>;
}
