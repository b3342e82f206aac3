import type { Duration } from "../clock/duration.ts";
import type { Instant } from "../clock/instant.ts";

/**
 * Settles an event at its origin. Exactly one is called, once: `done` when everything the event caused has been worked
 * on (promise 4), `retry` when it is given back: the process stops, or the event was not taken; `reject` when it has no
 * way through: its handler could not map it (a dead letter), or what it names cannot be. It shall not come again: the
 * sender of a webhook gets 422, a message of a broker goes to the `onDeadLetter` of its source. An origin without
 * `reject` is told `done`.
 */
export interface Acknowledgement {
  done(): void;
  retry(after?: Duration): void;
  reject?(reason: unknown): void;
}

/** An object appeared; `inInitialList` when it was there before the watch began. */
export interface CreateEvent<T> {
  readonly type: "create";
  readonly object: T;
  readonly inInitialList: boolean;
  readonly ack?: Acknowledgement | undefined;
}

/** An object changed; `oldObject` is the state that was last delivered. */
export interface UpdateEvent<T> {
  readonly type: "update";
  readonly oldObject: T;
  readonly object: T;
  readonly ack?: Acknowledgement | undefined;
}

/** An object is gone; `stateUnknown` when its deletion was missed and `object` is the last state that was seen. */
export interface DeleteEvent<T> {
  readonly type: "delete";
  readonly object: T;
  readonly stateUnknown: boolean;
  readonly ack?: Acknowledgement | undefined;
}

/** Something happened outside the cluster: a tick, a message, a webhook; `object` is what it carries. */
export interface GenericEvent<T> {
  readonly type: "generic";
  readonly object: T;
  readonly ack?: Acknowledgement | undefined;
  /** When it happened at its origin, by the origin's clock: metrics tell from it how far a source is behind. */
  readonly occurredAt?: Instant | undefined;
}

/** What a watched kind yields. */
export type ObjectEvent<T> = CreateEvent<T> | UpdateEvent<T> | DeleteEvent<T>;

/** What any source yields. */
export type SourceEvent<T> = ObjectEvent<T> | GenericEvent<T>;
