import { backoff } from "../clock/backoff.ts";
import type { Clock } from "../clock/clock.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { callDeadLetterHook } from "../source/dead-letter-hook.ts";
import { readProblem } from "../source/read-problem.ts";
import { createSourceMetrics } from "../source/source-metrics.ts";
import type { BrokerMessage } from "./broker-message.ts";

/**
 * A message that has no way through: its body cannot be read, its handler could not map it, what it asks for cannot be,
 * or it was handed over too often without an end.
 */
export interface PoisonMessage {
  readonly source: string;
  readonly id: string;
  /** How often the broker has handed it over, this time included. */
  readonly deliveries: number;
  /** What is wrong with it, without secrets. */
  readonly reason: string;
  /** The message as the broker's client gave it. */
  readonly message: unknown;
}

export interface DeadLettersOptions {
  readonly source: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly maxDeliveries: number;
  readonly onDeadLetter: ((message: PoisonMessage) => void | Promise<void>) | undefined;
}

/** What a message carries, or why it is a dead letter. */
export type Opened<T> =
  | { readonly type: "readable"; readonly object: T }
  | { readonly type: "dead"; readonly reason: string };

/** Which messages of a source are dead letters, and where these go. */
export interface DeadLetters {
  open<T>(message: BrokerMessage<T>): Opened<T>;
  /**
   * Hands a message to the hook, which gets 30 s, and 2 s from when the signal aborts. Undefined when the hook has it;
   * else the milliseconds after which it may come again: the hook has failed, and the broker keeps the message.
   */
  handOver(
    message: BrokerMessage<unknown>,
    why: { readonly reason: string; readonly signal: AbortSignal },
  ): Promise<number | undefined>;
}

export function createDeadLetters(options: DeadLettersOptions): DeadLetters {
  const { source, clock, log, maxDeliveries, onDeadLetter } = options;
  const metrics = createSourceMetrics(options.metrics);
  const delays = backoff({ initial: "1s", max: "1m", jitter: "equal", random: clock.random });
  return {
    open(message) {
      if (message.deliveries > maxDeliveries)
        return { type: "dead", reason: `it was handed over ${maxDeliveries} times without an end` };
      try {
        return { type: "readable", object: message.read() };
      } catch (error) {
        return { type: "dead", reason: `its body cannot be read: ${readProblem(error)}` };
      }
    },
    async handOver({ id, deliveries, raw }, { reason, signal }): Promise<number | undefined> {
      const letter: PoisonMessage = { source, id, deliveries, reason, message: raw };
      try {
        await callDeadLetterHook(() => onDeadLetter?.(letter), { clock, signal });
      } catch (error) {
        const failures = deliveries > maxDeliveries ? deliveries - maxDeliveries : deliveries;
        const afterMs = Math.round(delays.delayMs(failures));
        log.error("Cannot hand over a dead letter: it stays with the broker", {
          id,
          deliveries,
          reason,
          afterMs,
          error,
        });
        return afterMs;
      }
      metrics.deadLetter(source);
      log.error("A message is a dead letter", { id, deliveries, reason });
      return undefined;
    },
  };
}
