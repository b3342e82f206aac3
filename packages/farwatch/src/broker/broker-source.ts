import type { GenericEvent } from "../event/source-event.ts";
import { defaultUnacknowledgedBytes } from "../source/fan-out.ts";
import { type Choices, checkBounds, checkChoices, checkFunctions } from "../source/refuse-source.ts";
import type { Source, SourceContext } from "../source/source.ts";
import { declaredBy, type SourceOptions } from "../source/source-options.ts";
import type { PoisonMessage } from "./dead-letters.ts";
import type { HeldMessagesOptions } from "./held-messages.ts";

/** What every source of a broker has in common. */
export interface BrokerSourceOptions extends SourceOptions {
  /** Messages that may be held unacknowledged; no more are pulled beyond it; default 1,000. */
  readonly maxUnacknowledged?: number | undefined;
  /**
   * Memory that messages may take which are held unacknowledged, by their bodies; no more are pulled beyond it; default
   * 16 MiB.
   */
  readonly maxUnacknowledgedBytes?: number | undefined;
  /**
   * A message that the broker has handed over this often, by its own count, and that comes once more, is a dead letter;
   * default
   * 10. A reconcile that fails does not count: its message stays held. A process that ended, or gave it back, does.
   */
  readonly maxDeliveries?: number | undefined;
  /**
   * Gets each message that has no way through, which is then acknowledged; while it throws, or does not end within 30
   * s, the message stays with the broker and comes to it again. The source reads on when it has returned. What a
   * handler could not map comes here when its controller has given up on it, and meanwhile the source reads on.
   * Default: it is logged and counted.
   */
  readonly onDeadLetter?: ((message: PoisonMessage) => void | Promise<void>) | undefined;
}

/** What every source has beside: what the event carries. */
export interface Readable {
  readonly read?: unknown;
}

/** What `createHeldMessages` takes from the source's options and from its opening. */
export type Holding = Omit<HeldMessagesOptions<never>, "extend">;

export interface BrokerStream<T> {
  /** When the options do not name the source. */
  readonly name: string;
  /** What is to be chosen from some words. */
  readonly choices?: Choices | undefined;
  /** Says in `ctx.health` that it is serving once it is connected. */
  events(ctx: SourceContext, holding: Holding): AsyncIterable<GenericEvent<T>>;
}

/**
 * The source of a broker: at least once, durable at its origin, and never dropping.
 *
 * @throws CodedError `InvalidOption` for a bound that is no whole number of at least 1, a name that is none, a choice
 * that is none, and what is no function.
 */
export function brokerSource<T>(
  options: BrokerSourceOptions & Readable,
  { name: ownName, choices = {}, events }: BrokerStream<T>,
): Source<T> {
  const { maxUnacknowledged = 1_000, maxDeliveries = 10, onDeadLetter } = options;
  const { maxUnacknowledgedBytes = defaultUnacknowledgedBytes } = options;
  const declared = declaredBy(options, ownName);
  const { name } = declared;
  checkBounds(name, { maxUnacknowledged, maxUnacknowledgedBytes, maxDeliveries });
  checkFunctions(name, { read: options.read, onDeadLetter });
  checkChoices(name, choices);
  return {
    ...declared,
    delivery: "atLeastOnce",
    durability: "origin",
    overflow: "wait",
    maxUnacknowledged,
    connects: true,
    events(ctx): AsyncIterable<GenericEvent<T>> {
      const { name: source, clock, health, log, metrics } = ctx;
      const bounds = { maxUnacknowledged, maxUnacknowledgedBytes, maxDeliveries };
      return events(ctx, { source, clock, health, log, metrics, ...bounds, onDeadLetter });
    },
  };
}
