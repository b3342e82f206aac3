import type { Clock } from "../clock/clock.ts";
import type { Duration } from "../clock/duration.ts";
import { createDelivery, type Delivery, freeHold } from "../event/delivery.ts";
import type { Acknowledgement, SourceEvent } from "../event/source-event.ts";
import type { TaskScope } from "../flow/task-scope.ts";
import type { Logger } from "../observe/logger.ts";
import { createAcknowledgementGuard } from "./acknowledgement-guard.ts";
import { bytesOfEvent } from "./event-bytes.ts";
import type { Source, SourceBlock } from "./source.ts";
import type { SourceMetrics } from "./source-metrics.ts";
import type { WatchBuffer } from "./watch-buffer.ts";

export interface FanOutOptions {
  readonly source: Source<unknown>;
  readonly name: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: SourceMetrics;
  readonly buffers: ReadonlySet<WatchBuffer<unknown>>;
  /** The opening under way: an event that is given back while it lasts comes again in it. */
  session(): TaskScope | undefined;
}

/**
 * Hands every event of a source to the buffers of all its watches, and sees to it that each is settled exactly once.
 */
export interface FanOut {
  /** Events that are not acknowledged yet. */
  readonly unacknowledged: number;
  /**
   * Undefined unless the source is not read, since too many of its events are unacknowledged here, or by what `blocked`
   * says of it, and most of these wait for requests that fail, or the oldest does where that is what holds it up: one of
   * these requests.
   */
  stuckOn(blocked: SourceBlock | undefined): string | undefined;
  /** Events that were given back, have no other origin, and wait for the next opening. */
  readonly kept: number;
  /**
   * Undefined when there is room below `maxUnacknowledged` and `maxUnacknowledgedBytes`; else a promise that resolves
   * when there is, or on abort.
   */
  room(signal: AbortSignal): Promise<void> | undefined;
  /**
   * Undefined when every buffer took the event; else a promise that resolves when they have, or on abort. Once the
   * signal has aborted the event is given back.
   */
  deliver(event: SourceEvent<unknown>, signal: AbortSignal): Promise<void> | undefined;
  /** Gives an event back that no watch was asked about. */
  giveBack(event: SourceEvent<unknown>): void;
  /** Resolves when every event that carried an `ack` is settled. */
  acknowledged(): Promise<void>;
  /** Delivers what was kept, in the order in which it came first. */
  redeliver(signal: AbortSignal): Promise<void>;
}

interface Kept {
  readonly order: number;
  readonly event: SourceEvent<unknown>;
}

/** What belongs to a source, so that it outlives a manager. */
interface Memory {
  /** Events that were given back and have no other origin. */
  readonly kept: Kept[];
  /** Events so far: their order in all openings. */
  events: number;
}

const memories = new WeakMap<Source<unknown>, Memory>();

/** A given-back event comes again after this, unless whoever gave it back said when. */
const redeliveryDelay: Duration = "1s";
export const defaultUnacknowledgedBytes: number = 16 * 1024 * 1024;

export function createFanOut({ source, name, clock, log, metrics, buffers, session }: FanOutOptions): FanOut {
  const { maxUnacknowledged = 1_000, maxUnacknowledgedBytes = defaultUnacknowledgedBytes } = source;
  const memory = memories.get(source) ?? { kept: [], events: 0 };
  memories.set(source, memory);
  const { kept } = memory;
  const guarded = createAcknowledgementGuard({ source: name, log, metrics });
  /** What is not acknowledged yet. */
  const open = new Set<Delivery>();
  /** How many of these an origin waits for. */
  let atOrigin = 0;
  /** Events that were given back in this opening and wait for their time to come again. */
  let returning = 0;
  /** Of what is open and what returns. */
  let bytes = 0;
  /** Wakes the reader that waits for room. */
  let wake: (() => void) | undefined;
  /** Wakes whoever waits for the last acknowledgement. */
  let allAcknowledged: PromiseWithResolvers<void> | undefined;

  const hasRoom = (): boolean => open.size + returning < maxUnacknowledged && bytes < maxUnacknowledgedBytes;
  const bytesOf = ({ object }: SourceEvent<unknown>): number => bytesOfEvent(source, object, log);

  const opened = (ack: Acknowledgement, event: SourceEvent<unknown>): Delivery => {
    const awaited = event.ack === undefined ? 0 : 1;
    const held = bytesOf(event);
    memory.events += 1;
    const delivery = createDelivery(ack, {
      from: { source, place: memory.events },
      onSettled(): void {
        open.delete(delivery);
        bytes -= held;
        atOrigin -= awaited;
        if (hasRoom()) wake?.();
        if (atOrigin > 0) return;
        allAcknowledged?.resolve();
        allAcknowledged = undefined;
      },
    });
    open.add(delivery);
    bytes += held;
    atOrigin += awaited;
    return delivery;
  };

  const keep = (entry: Kept, after: Duration = redeliveryDelay): void => {
    const current = session();
    if (current === undefined || current.signal.aborted || buffers.size === 0) {
      kept.push(entry);
      return;
    }
    // Read on meanwhile, a source whose events all come back would pile them up without end.
    const held = bytesOf(entry.event);
    returning += 1;
    bytes += held;
    current.run("redeliver", async (signal) => {
      try {
        await clock.sleep(after, signal);
      } catch {
        kept.push(entry);
        return;
      } finally {
        returning -= 1;
        bytes -= held;
      }
      await deliver(entry.event, signal, entry);
    });
  };

  /** `before`: what was kept of this event, if it comes again. */
  const acknowledgementOf = (event: SourceEvent<unknown>, before?: Kept): Acknowledgement | undefined => {
    if (event.ack !== undefined) return guarded(event.ack);
    if (source.restates) return undefined;
    memory.events += 1;
    const order = memory.events;
    return { done: nothing, retry: (after) => keep(before ?? { order, event }, after) };
  };

  const deliver = (event: SourceEvent<unknown>, signal: AbortSignal, before?: Kept): Promise<void> | undefined => {
    const ack = acknowledgementOf(event, before);
    if (buffers.size === 0 || signal.aborted) {
      ack?.retry();
      return undefined;
    }
    // Held here meanwhile: the event must not be settled between two offers.
    const own = ack === undefined ? freeHold : opened(ack, event).hold();
    // A handler that settled the event too would settle it twice.
    const bare = event.ack === undefined ? event : { ...event, ack: undefined };
    let waits: Promise<void>[] | undefined;
    for (const buffer of buffers) {
      const wait = buffer.offer({ event: bare, hold: own.split() }, signal);
      if (wait === undefined) continue;
      waits ??= [];
      waits.push(wait);
    }
    own.done();
    return waits === undefined || waits.length === 1 ? waits?.[0] : Promise.all(waits).then(() => {});
  };

  return {
    get unacknowledged() {
      return open.size + returning;
    },
    stuckOn(blocked) {
      if (blocked === undefined && hasRoom()) return undefined;
      const [oldest] = open;
      if (blocked === "oldest" && oldest?.stuckOn !== undefined) return oldest.stuckOn;
      const stuck = [...open].flatMap((delivery) => delivery.stuckOn ?? []);
      return stuck.length * 2 > open.size ? stuck[0] : undefined;
    },
    get kept() {
      return kept.length;
    },
    room(signal): Promise<void> | undefined {
      if (hasRoom() || signal.aborted) return undefined;
      return new Promise((resolve) => {
        const go = (): void => {
          wake = undefined;
          signal.removeEventListener("abort", go);
          resolve();
        };
        wake = go;
        signal.addEventListener("abort", go, { once: true });
      });
    },
    deliver: (event, signal) => deliver(event, signal),
    giveBack: (event) => acknowledgementOf(event)?.retry(),
    acknowledged(): Promise<void> {
      if (atOrigin === 0) return Promise.resolve();
      allAcknowledged ??= Promise.withResolvers();
      return allAcknowledged.promise;
    },
    async redeliver(signal): Promise<void> {
      const waiting = kept.splice(0).sort((a, b) => a.order - b.order);
      for (const entry of waiting) await deliver(entry.event, signal, entry);
    },
  };
}

function nothing(): void {}
