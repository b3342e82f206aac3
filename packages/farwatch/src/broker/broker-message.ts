import type { Instant } from "../clock/instant.ts";

/** A message as a broker handed it over, and what its client can do with it. */
export interface BrokerMessage<T> {
  /**
   * The broker's own, the same when the message is handed over again. One with another `occurredAt` is another message:
   * a stream that was made anew counts from its beginning.
   */
  readonly id: string;
  /** How often the broker has handed it over by its own count, this time included: from 1. */
  readonly deliveries: number;
  readonly occurredAt?: Instant | undefined;
  /** Memory that its body takes, more or less. */
  readonly bytes: number;
  /** The message as the broker's client gave it. */
  readonly raw: unknown;
  /** What the event carries. A body that cannot be read throws: the message is a dead letter. */
  read(): T;
  /** Settles it at the broker: it never comes again. */
  done(): Promise<void>;
  /** Gives it back: it comes again, not before `afterMs` where the broker can wait. */
  retry(afterMs: number): Promise<void>;
  /** Settles a dead letter, where the broker tells them apart; default: `done`. */
  bury?(): Promise<void>;
}
