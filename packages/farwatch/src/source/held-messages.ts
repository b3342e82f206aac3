import type { Clock } from "../clock/clock.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import type { Instant } from "../clock/instant.ts";
import { messageOf } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import type { Logger } from "../observe/logger.ts";
import { redactText } from "../observe/redact.ts";

/** A message as a broker handed it over, and what its client can do with it. */
export interface BrokerMessage<T> {
  /** The broker's own; names the message in logs. */
  readonly id: string;
  /** How often the broker has handed it over by its own count, this time included: from 1. */
  readonly deliveries: number;
  readonly occurredAt?: Instant | undefined;
  /** What the event carries. A body that cannot be read throws: the message is a dead letter. */
  read(): T;
  /** Settles it at the broker: it never comes again. */
  done(): Promise<void>;
  /** Gives it back: it comes again, not before `afterMs` where the broker can wait. */
  retry(afterMs: number): Promise<void>;
}

/** A message that has no way through: its body cannot be read, or it was handed over too often without an end. */
export interface PoisonMessage {
  readonly source: string;
  readonly id: string;
  readonly deliveries: number;
  /** What is wrong with it, without secrets. */
  readonly reason: string;
  /** The message as the broker's client gave it. */
  readonly message: unknown;
}

/** What every source of a broker has in common. */
export interface BrokerSourceOptions {
  /** Names the source in logs, metrics and health. */
  readonly name?: string | undefined;
  /** Messages that may be held unacknowledged; no more are pulled beyond it; default 1,000. */
  readonly maxUnacknowledged?: number | undefined;
  /** A message that the broker has handed over this often is a dead letter, by the broker's own count; default 10 (RULES of brokers). */
  readonly maxDeliveries?: number | undefined;
  /**
   * Gets each message that has no way through, which is then acknowledged; while it throws, the message stays with the broker.
   * Default: it is logged and counted.
   */
  readonly onDeadLetter?: ((message: PoisonMessage) => void | Promise<void>) | undefined;
  /** Default: on the leader alone. */
  readonly needLeaderElection?: boolean | undefined;
  readonly critical?: boolean | undefined;
}

export interface HeldMessagesOptions<T, M extends BrokerMessage<T>> {
  readonly source: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly maxDeliveries: number;
  readonly onDeadLetter?: BrokerSourceOptions["onDeadLetter"];
  /** Starts the broker's deadline of these over; called every `every` with all that are held, while there are any. */
  readonly extend?: { readonly every: Duration; run(held: readonly M[]): Promise<void> } | undefined;
  /** The broker's own cap on holding a message: it is given back then. */
  readonly longest?: Duration | undefined;
  /** What the broker's client gave, for `onDeadLetter`. */
  raw(message: M): unknown;
}

/**
 * The messages of one opening of a broker's source that are not settled yet. It makes events of them, settles each once at the
 * broker, and keeps the broker from delivering them a second time meanwhile.
 */
export interface HeldMessages<T, M extends BrokerMessage<T>> extends AsyncDisposable {
  readonly size: number;
  /** The event of a message; undefined when it was a dead letter and is settled. */
  hold(message: M): Promise<GenericEvent<T> | undefined>;
}
