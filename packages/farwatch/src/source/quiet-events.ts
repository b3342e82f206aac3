import type { Clock } from "../clock/clock.ts";
import type { Duration } from "../clock/duration.ts";
import { mergeEvents } from "../event/merge-events.ts";
import type { Acknowledgement, SourceEvent } from "../event/source-event.ts";
import { createHeap, type HeapEntry } from "../flow/heap.ts";
import type { Logger } from "../observe/logger.ts";
import type { AcknowledgementGuard } from "./acknowledgement-guard.ts";

export interface QuietEventsOptions<T> {
  /** An event goes on when so much time has passed without another of its key … */
  readonly waitMs: number;
  /** … and at the latest so long after the first of those that it stands for. */
  readonly maxWaitMs: number;
  /** Keys that may wait. */
  readonly capacity: number;
  /** Events with an acknowledgement that may wait, merged ones counted each. */
  readonly maxUnacknowledged: number;
  /** Bytes of all events that may wait, by `bytesOf`. */
  readonly maxBytes: number;
  readonly bytesOf: (object: T, log: Logger) => number;
  /** Undefined: this event is merged with none. */
  readonly keyOf: (object: T) => string | undefined;
  /** Goes on at once, with what waits of its key. */
  readonly isUrgent: (event: SourceEvent<T>) => boolean;
}

/** Events that wait for quiet. They outlive a stream: what carries no acknowledgement waits for the next. */
export interface QuietEvents<T> {
  /**
   * The events of a stream, merged. It is read no faster than this one. `forgets`: the next stream tells all anew, so
   * that what waits when this one ends is dropped.
   */
  read(
    open: (signal: AbortSignal) => AsyncIterable<SourceEvent<T>>,
    reading: QuietReading,
  ): AsyncGenerator<SourceEvent<T>, void, undefined>;
}

export interface QuietReading {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly forgets: boolean;
  /** One of several acknowledgements that fails must not keep the others from being told. */
  readonly guarded: AcknowledgementGuard;
}

interface Waiting<T> {
  readonly key: string;
  readonly firstMs: number;
  event: SourceEvent<T>;
  readonly acks: Required<Acknowledgement>[];
  bytes: number;
  dueMs: number;
  /** Among equal times the one that has been quiet for longer comes first. */
  order: number;
  entry: HeapEntry | undefined;
}

export function createQuietEvents<T>(options: QuietEventsOptions<T>): QuietEvents<T> {
  const { waitMs, maxWaitMs, capacity, maxUnacknowledged, maxBytes, keyOf, bytesOf, isUrgent } = options;
  const byKey = new Map<string, Waiting<T>>();
  const heap = createHeap<Waiting<T>>((a, b) => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order));
  let order = 0;
  let unacknowledged = 0;
  let bytes = 0;

  const take = (waiting: Waiting<T>): SourceEvent<T> => {
    waiting.entry?.[Symbol.dispose]();
    byKey.delete(waiting.key);
    unacknowledged -= waiting.acks.length;
    bytes -= waiting.bytes;
    return waiting.acks.length === 0 ? waiting.event : { ...waiting.event, ack: joinAcknowledgements(waiting.acks) };
  };

  let alone = 0;
  const keyAlone = (): string => {
    alone += 1;
    return `alone ${alone}`;
  };
  /** An event of which this cannot be told goes on alone and at once: it must neither be lost nor stop its source. */
  const placeOf = (event: SourceEvent<T>, log: Logger): { readonly key: string; readonly urgent: boolean } => {
    try {
      const key = keyOf(event.object);
      return { key: key === undefined ? keyAlone() : `key ${key}`, urgent: isUrgent(event) };
    } catch (error) {
      log.error("Cannot tell whether an event may wait", { error });
      return { key: keyAlone(), urgent: true };
    }
  };

  const put = (event: SourceEvent<T>, { clock, log, guarded }: QuietReading): void => {
    const nowMs = clock.elapsed();
    const { key, urgent } = placeOf(event, log);
    let waiting = byKey.get(key);
    if (waiting === undefined) {
      waiting = { key, firstMs: nowMs, event, acks: [], bytes: 0, dueMs: 0, order: 0, entry: undefined };
      byKey.set(key, waiting);
    } else {
      waiting.event = mergeEvents(waiting.event, event);
    }
    bytes -= waiting.bytes;
    waiting.bytes = bytesOf(waiting.event.object, log);
    bytes += waiting.bytes;
    if (event.ack !== undefined) {
      waiting.acks.push(guarded(event.ack));
      unacknowledged += 1;
    }
    // Out of the heap before its time changes: the heap's order stands on it.
    waiting.entry?.[Symbol.dispose]();
    waiting.dueMs = urgent ? nowMs : Math.min(nowMs + waitMs, waiting.firstMs + maxWaitMs);
    order += 1;
    waiting.order = order;
    waiting.entry = heap.push(waiting);
  };

  /** The next event that has waited long enough, or for which there is no room to wait. */
  const ready = (nowMs: number): SourceEvent<T> | undefined => {
    const first = heap.peek();
    if (first === undefined) return undefined;
    const isFull = byKey.size > capacity || unacknowledged >= maxUnacknowledged || bytes >= maxBytes;
    return isFull || first.dueMs <= nowMs ? take(first) : undefined;
  };

  return {
    async *read(open, how): AsyncGenerator<SourceEvent<T>, void, undefined> {
      const { clock, signal, forgets, guarded } = how;
      const opening = new AbortController();
      const stream = open(opening.signal)[Symbol.asyncIterator]();
      let reading: Promise<IteratorResult<SourceEvent<T>>> | undefined;
      try {
        while (!signal.aborted) {
          const event = ready(clock.elapsed());
          if (event !== undefined) {
            yield event;
            continue;
          }
          if (reading === undefined) {
            reading = stream.next();
            // It may fail while nobody asks for the next event.
            reading.catch(() => {});
          }
          const first = heap.peek();
          const leftMs = first === undefined ? undefined : first.dueMs - clock.elapsed();
          const result = await firstOf(reading, { clock, signal, leftMs });
          if (result === undefined) continue;
          reading = undefined;
          if (result.done) break;
          put(result.value, how);
        }
        // Nothing more comes, so nothing is waited for.
        for (let last = heap.peek(); last !== undefined && !signal.aborted; last = heap.peek()) yield take(last);
      } finally {
        for (const waiting of [...byKey.values()]) {
          if (waiting.acks.length > 0) take(waiting).ack?.retry();
          else if (forgets) take(waiting);
        }
        opening.abort(signal.reason);
        const late = reading?.then(
          ({ done, value }) => {
            if (done) return;
            if (value.ack !== undefined) guarded(value.ack).retry();
            else if (!forgets) put(value, how);
          },
          () => {},
        );
        await stream.return?.();
        await late;
      }
    },
  };
}

/** What comes first: the value, or undefined when the time is over or the signal has aborted. */
function firstOf<R>(
  value: Promise<R>,
  {
    clock,
    signal,
    leftMs,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly leftMs: number | undefined },
): Promise<R | undefined> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      settled();
      resolve(undefined);
    };
    const settled = (): void => {
      timer?.[Symbol.dispose]();
      signal.removeEventListener("abort", end);
    };
    const timer = leftMs === undefined ? undefined : clock.schedule(Math.max(0, leftMs), end);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    value.then(resolve, reject).finally(settled);
  });
}

/** One acknowledgement in place of several, for events that became one. */
function joinAcknowledgements(acks: readonly Required<Acknowledgement>[]): Acknowledgement {
  return {
    done(): void {
      for (const ack of acks) ack.done();
    },
    retry(after?: Duration): void {
      for (const ack of acks) ack.retry(after);
    },
    reject(reason): void {
      for (const ack of acks) ack.reject(reason);
    },
  };
}
