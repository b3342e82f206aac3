import type { Acknowledgement } from "../event/source-event.ts";
import { isThenable } from "../flow/thenable.ts";
import type { Logger } from "../observe/logger.ts";
import type { SourceMetrics } from "./source-metrics.ts";

export interface AcknowledgementGuardOptions {
  /** The label of what is counted. */
  readonly source: string;
  readonly log: Logger;
  readonly metrics: Pick<SourceMetrics, "unsettled">;
}

/** Makes an acknowledgement one that neither throws nor rejects, and that takes a rejection. */
export type AcknowledgementGuard = (ack: Acknowledgement) => Required<Acknowledgement>;

/**
 * Whoever settles an event must not fear its origin, nor must the process: what an acknowledgement throws, and what the
 * promise of an async one rejects with, is logged and counted. Without a `reject` the origin is told `done`.
 */
export function createAcknowledgementGuard({
  source,
  log,
  metrics,
}: AcknowledgementGuardOptions): AcknowledgementGuard {
  const failed = (error: unknown): void => {
    metrics.unsettled(source);
    log.error("Cannot acknowledge an event", { error });
  };
  const guarded = (act: () => unknown): void => {
    try {
      const acted = act();
      if (isThenable(acted)) Promise.resolve(acted).catch(failed);
    } catch (error) {
      failed(error);
    }
  };
  return (ack) => ({
    done: () => guarded(() => ack.done()),
    retry: (after) => guarded(() => ack.retry(after)),
    reject: (reason) => guarded(() => (ack.reject === undefined ? ack.done() : ack.reject(reason))),
  });
}
