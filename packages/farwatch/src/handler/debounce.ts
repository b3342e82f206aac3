import { type Duration, toMs } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import { CodedError } from "../error/coded-error.ts";
import { checkWholeNumbers } from "../error/whole-numbers.ts";
import type { Enqueued } from "../event/request.ts";
import type { SourceEvent } from "../event/source-event.ts";
import { isThenable } from "../flow/thenable.ts";
import { mustPass } from "../predicate/must-pass.ts";
import type { Predicate } from "../predicate/predicate.ts";
import { specChanged } from "../predicate/spec-changed.ts";
import { createAcknowledgementGuard } from "../source/acknowledgement-guard.ts";
import { bytesOfEvent } from "../source/event-bytes.ts";
import { defaultUnacknowledgedBytes } from "../source/fan-out.ts";
import { createQuietEvents } from "../source/quiet-events.ts";
import type { Source, SourceContext } from "../source/source.ts";
import { sourceLike } from "../source/source-like.ts";
import { createSourceMetrics } from "../source/source-metrics.ts";
import type { KubeObject } from "../wire/object.ts";
import type { EventHandler } from "./event-handler.ts";
import { listOfRequests } from "./list-of-requests.ts";

export interface DebounceHandlerOptions<T> {
  /** How long an event waits for others; above 0. */
  readonly wait: Duration;
  /**
   * Which events pass at once. Default: creates, and updates of a Kubernetes object in which more changed than status
   * and bookkeeping (`specChanged`). Deletes always do, and so does whatever no predicate is asked about.
   */
  readonly passes?: Predicate<T>;
}

export interface DebounceOptions<T> extends DebounceHandlerOptions<T> {
  /** No event waits longer than this, however many come; default: ten times `wait`. */
  readonly maxWait?: Duration;
  /**
   * Events of one key become one. Default: the key by which the source itself coalesces, or else the uid of a
   * Kubernetes object; other events then wait, but stay apart, since what another of them says would be lost.
   */
  readonly key?: (object: T) => string;
  /** Keys that may wait; of more, the one that has waited longest for quiet goes on at once. Default 1,024. */
  readonly capacity?: number;
  /** Default: the name of the source. */
  readonly name?: string;
}

/**
 * Makes one event of many that follow each other closely, for each key.
 *
 * Around a source: an event waits until `wait` has passed without another of its key, but no longer than `maxWait`
 * after the first. What comes meanwhile is merged into it as in a buffer (the last generic one; from the first old
 * state to the last new one), and their acknowledgements too: all are settled as the one is. An event that passes takes
 * what waits of its key along. It keeps the source's promises: what waits is given back to its origin when the source
 * is closed, or stays in this process for the next opening; of the 1,000 (`maxUnacknowledged`) that an origin may have
 * open, and of `maxUnacknowledgedBytes`, the oldest stop waiting. Give such a source to `watch` as one constant, since
 * each call makes another.
 *
 * Around a handler: the requests come `wait` after the event. In the queue the earliest time wins, so requests that
 * others of a burst cause join the first: one run `wait` after the first event, where around a source it is `wait`
 * after the last.
 *
 * @throws CodedError `InvalidDuration`, `InvalidOption`.
 * @example
 * watch(debounce(fileSource({ path: "/etc/settings" }), { wait: "2s", maxWait: "30s" }), enqueueAll(StorageBucket))
 * @example
 * watch(kindSource(Pod), debounce(enqueueRequestForOwner(Job), { wait: "1s" }))
 */
export function debounce<T>(handler: EventHandler<T>, options: DebounceHandlerOptions<NoInfer<T>>): EventHandler<T>;
export function debounce<T>(source: Source<T>, options: DebounceOptions<NoInfer<T>>): Source<T>;
export function debounce<T>(
  target: Source<T> | EventHandler<T>,
  options: DebounceOptions<T>,
): Source<T> | EventHandler<T> {
  if (typeof target !== "function" && typeof target?.events !== "function") {
    throw new CodedError("InvalidOption", "Cannot debounce what is given: it is no source and no handler, give one");
  }
  const waitMs = givenMs(options?.wait, { doing: "debounce", what: "wait" });
  const { passes = passesByDefault } = options;
  const isUrgent: Predicate<T> = (event) => event.type === "delete" || mustPass(event) || passes(event);
  return typeof target === "function"
    ? debouncedHandler(target, waitMs, isUrgent)
    : debouncedSource(target, waitMs, { ...options, passes: isUrgent });
}

function debouncedHandler<T>(handler: EventHandler<T>, waitMs: number, isUrgent: Predicate<T>): EventHandler<T> {
  const later = (given: Iterable<Enqueued>): readonly Enqueued[] =>
    Array.from(listOfRequests(given, "a debounced handler"), (request) => ({
      ...request,
      after: Math.max(waitMs, toMs(request.after ?? 0)),
    }));
  return (event, ctx) => {
    const requests = handler(event, ctx);
    if (isUrgent(event)) return requests;
    return isThenable(requests) ? Promise.resolve(requests).then(later) : later(requests);
  };
}

function debouncedSource<T>(
  source: Source<T>,
  waitMs: number,
  options: DebounceOptions<T> & { readonly passes: Predicate<T> },
): Source<T> {
  const { overflow } = source;
  const { key = typeof overflow === "object" ? overflow.coalesce : uidOf, passes, capacity = 1_024 } = options;
  const maxWaitMs = givenMs(options.maxWait ?? 10 * waitMs, {
    doing: "debounce",
    what: "maxWait",
    least: options.wait,
  });
  checkWholeNumbers("debounce", { capacity });
  const quiet = createQuietEvents<T>({
    waitMs,
    maxWaitMs,
    capacity,
    maxUnacknowledged: source.maxUnacknowledged ?? 1_000,
    maxBytes: source.maxUnacknowledgedBytes ?? defaultUnacknowledgedBytes,
    bytesOf: (object, log) => bytesOfEvent(source, object, log),
    keyOf: key,
    isUrgent: passes,
  });
  const name = options.name ?? source.name;
  return sourceLike(source, {
    name,
    numbered: options.name === undefined ? source.numbered : false,
    events(ctx: SourceContext): AsyncIterable<SourceEvent<T>> {
      const metrics = createSourceMetrics(ctx.metrics);
      return quiet.read((signal) => source.events({ ...ctx, signal }), {
        ...ctx,
        forgets: source.restates ?? false,
        guarded: createAcknowledgementGuard({ source: ctx.name, log: ctx.log, metrics }),
      });
    },
  });
}

function passesByDefault(event: SourceEvent<unknown>): boolean {
  if (event.type === "create") return true;
  return isOfObjects(event) && specChanged(event);
}

function isOfObjects(event: SourceEvent<unknown>): event is SourceEvent<KubeObject> & { readonly type: "update" } {
  return event.type === "update" && isKubeObject(event.object) && isKubeObject(event.oldObject);
}

function uidOf(object: unknown): string | undefined {
  return isKubeObject(object) ? object.metadata.uid : undefined;
}

function isKubeObject(object: unknown): object is KubeObject {
  if (typeof object !== "object" || object === null || !("metadata" in object)) return false;
  const { metadata } = object;
  return typeof metadata === "object" && metadata !== null && "uid" in metadata && typeof metadata.uid === "string";
}
