import { toMs } from "../clock/duration.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { createChannel } from "../flow/channel.ts";
import type { Outcome } from "../ingress/duplicate-window.ts";

export interface AcceptedEventsOptions {
  /** Events that may wait to be read. */
  readonly capacity: number;
  /** And bytes; one event may, whatever its size. */
  readonly maxBytes: number;
  /**
   * They are held once they are acknowledged, and given back when they are not read; otherwise as soon as they wait
   * here.
   */
  readonly acknowledged: boolean;
}

/** Events whose senders wait for an answer, or got one, until they are read. */
export interface AcceptedEvents<T extends object> {
  hasRoom(events: number, bytes: number): boolean;
  /** Puts an event in, where there should be room: without, it is not held. */
  put(event: Pick<GenericEvent<T>, "object" | "occurredAt">, bytes: number): Promise<Outcome>;
  /** What was said of an event's size when it was put in. */
  bytesOf(object: T): number;
  /** Rejects with the signal's reason. */
  next(signal: AbortSignal): Promise<GenericEvent<T> | undefined>;
  /** Nobody reads any more: what senders still wait for is not held. */
  giveBack(): void;
}

export function createAcceptedEvents<T extends object>({
  capacity,
  maxBytes,
  acknowledged,
}: AcceptedEventsOptions): AcceptedEvents<T> {
  const waiting = createChannel<GenericEvent<T>>({ capacity });
  const sizes = new WeakMap<T, number>();
  const bytesOf = (object: T): number => sizes.get(object) ?? 0;
  let held = 0;

  const accept = (event: GenericEvent<T>, bytes: number): boolean => {
    if (!waiting.trySend(event)) return false;
    sizes.set(event.object, bytes);
    held += bytes;
    return true;
  };

  const taken = (event: GenericEvent<T> | undefined): GenericEvent<T> | undefined => {
    if (event !== undefined) held -= bytesOf(event.object);
    return event;
  };

  return {
    hasRoom: (events, bytes) => waiting.size + events <= capacity && (held === 0 || held + bytes <= maxBytes),
    put({ object, occurredAt }, bytes): Promise<Outcome> {
      const event: GenericEvent<T> = { type: "generic", object, occurredAt };
      if (!acknowledged) return Promise.resolve({ held: accept(event, bytes) });
      return new Promise((resolve) => {
        const ack: GenericEvent<T>["ack"] = {
          done: () => resolve({ held: true }),
          retry: (after) => resolve({ held: false, retryAfterMs: after === undefined ? undefined : toMs(after) }),
          reject: () => resolve({ held: false, rejected: true }),
        };
        if (!accept({ ...event, ack }, bytes)) resolve({ held: false });
      });
    },
    bytesOf,
    next: async (signal) => taken(await waiting.receive(signal)),
    giveBack(): void {
      if (!acknowledged) return;
      for (let event = taken(waiting.tryReceive()); event; event = taken(waiting.tryReceive())) event.ack?.retry();
    },
  };
}
