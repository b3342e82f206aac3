import { type Hold, joinHolds } from "../event/delivery.ts";
import { mergeEvents } from "../event/merge-events.ts";
import type { SourceEvent } from "../event/source-event.ts";
import { createChannel } from "../flow/channel.ts";
import type { Source } from "./source.ts";

/**
 * An event for one watch, and the watch's hold on it: release it, or split it over the requests that the event caused.
 */
export interface Received<T> {
  readonly event: SourceEvent<T>;
  readonly hold: Hold;
}

/** The bounded buffer between a source and one of its watches (promise 2). */
export interface WatchBuffer<T> {
  readonly watch: string;
  readonly size: number;
  /**
   * Puts an event in. Undefined when that is done; a promise while there is no room, which resolves when there is, and
   * also when the signal aborts or the buffer is closed: then the event was given back.
   */
  offer(received: Received<T>, signal: AbortSignal): Promise<void> | undefined;
  /** The oldest event; undefined once closed. Rejects with the signal's reason. */
  receive(signal?: AbortSignal): Promise<Received<T> | undefined>;
  /** Gives back all that waits. */
  drain(): void;
  /** Gives back all that waits, and all that is offered from now on. */
  close(): void;
}

interface Waiting<T> extends Received<T> {
  readonly key: string;
}

export function createWatchBuffer<T>(
  source: Pick<Source<T>, "overflow" | "capacity" | "durability">,
  watch: string,
  observer: { dropped(): void; coalesced(): void; unkeyed(error: unknown): void },
): WatchBuffer<T> {
  const { overflow, durability } = source;
  const coalesce = typeof overflow === "object" ? overflow.coalesce : undefined;
  const channel = createChannel<Waiting<T>>({
    capacity: source.capacity ?? 1_024,
    overflow: typeof overflow === "object" ? { coalesce: ({ key }) => key } : overflow,
    merge(buffered, { key, event, hold }) {
      observer.coalesced();
      return { key, event: mergeEvents(buffered.event, event), hold: joinHolds([buffered.hold, hold]) };
    },
    onDrop({ hold }) {
      observer.dropped();
      // An origin may deliver it again; nobody else can, and the source declared that it may be lost.
      if (durability === "origin") hold.giveBack();
      else hold.done();
    },
  });

  let unkeyed = 0;
  /** An event whose key cannot be told merges with none: it must neither be lost nor stop its source. */
  const keyOf = ({ object }: SourceEvent<T>): string => {
    if (coalesce === undefined) return "";
    try {
      return `key ${coalesce(object)}`;
    } catch (error) {
      observer.unkeyed(error);
      unkeyed += 1;
      return `unkeyed ${unkeyed}`;
    }
  };

  const drain = (): void => {
    for (let next = channel.tryReceive(); next !== undefined; next = channel.tryReceive()) next.hold.giveBack();
  };

  return {
    watch,
    get size() {
      return channel.size;
    },
    offer({ event, hold }, signal): Promise<void> | undefined {
      const waiting: Waiting<T> = { key: keyOf(event), event, hold };
      if (channel.closed) {
        hold.giveBack();
        return undefined;
      }
      if (channel.trySend(waiting)) return undefined;
      return channel.send(waiting, { signal }).catch((error: unknown) => {
        hold.giveBack();
        if (!signal.aborted && !channel.closed) throw error;
      });
    },
    receive: channel.receive,
    drain,
    close(): void {
      channel.close();
      drain();
    },
  };
}
