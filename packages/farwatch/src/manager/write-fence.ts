import type { Fence } from "../client/connected-client.ts";
import type { Clock } from "../clock/clock.ts";
import { CodedError } from "../error/coded-error.ts";

/**
 * Promise 12: no write starts later than `renewDeadlineMs` after the last successful renewal was *sent*. Measured on
 * the monotonic clock and on the wall clock, whichever has moved further: the first stands still while a machine
 * sleeps, the second can be set.
 */
export interface WriteFence extends Fence {
  /** A renewal that was sent then has succeeded. */
  renewedAt(sent: SentAt): void;
  /**
   * Called in the tick of a renewal, which may not start later than any other write. Only the wall clock is left out:
   * it may have been set, and then the renewal puts it right. @throws CodedError `NotLeader`.
   */
  checkRenewal(): void;
  /** Ends the term: from now on no write starts, and those under way are aborted. Twice does no harm. */
  close(reason: CodedError): void;
  /** Milliseconds until the term ends unless it is renewed; 0 or less when it may have ended. */
  leftMs(): number;
}

/** When a renewal was handed to the socket. */
export interface SentAt {
  readonly elapsedMs: number;
  readonly wallMs: number;
}

export function sentNow(clock: Clock): SentAt {
  return { elapsedMs: clock.elapsed(), wallMs: clock.now().getTime() };
}

export function createWriteFence(options: {
  readonly clock: Clock;
  readonly renewDeadlineMs: number;
  readonly lease: string;
  readonly acquired: SentAt;
  /** Why the last renewal failed, if it did. */
  readonly lastFailure?: () => unknown;
}): WriteFence {
  const { clock, renewDeadlineMs, lease } = options;
  const controller = new AbortController();
  let last = options.acquired;
  let timer: Disposable | undefined;

  const monotonicLeftMs = (): number => renewDeadlineMs - (clock.elapsed() - last.elapsedMs);
  const wallLeftMs = (): number => renewDeadlineMs - (clock.now().getTime() - last.wallMs);

  const close = (reason: CodedError): void => {
    timer?.[Symbol.dispose]();
    if (!controller.signal.aborted) controller.abort(reason);
  };

  const arm = (): void => {
    timer?.[Symbol.dispose]();
    timer = clock.schedule(
      Math.max(0, monotonicLeftMs()),
      () => {
        if (monotonicLeftMs() > 0) arm();
        else close(notRenewed(lease, renewDeadlineMs, options.lastFailure?.()));
      },
      { unref: true },
    );
  };
  arm();

  const check = (leftMs: number): void => {
    // The reason says why the term ended; each write gets an error of its own, as it may be logged with its own object.
    if (!controller.signal.aborted && leftMs > 0) return;
    throw new CodedError(
      "NotLeader",
      `Cannot write: this process may no longer hold Lease ${lease}; the next leader does this work`,
      { cause: controller.signal.reason },
    );
  };
  const leftMs = (): number => Math.min(monotonicLeftMs(), wallLeftMs());

  return {
    signal: controller.signal,
    close,
    leftMs,
    renewedAt(sent): void {
      if (controller.signal.aborted) return;
      last = sent;
      arm();
    },
    check: () => check(leftMs()),
    checkRenewal: () => check(monotonicLeftMs()),
  };
}

function notRenewed(lease: string, renewDeadlineMs: number, cause: unknown): CodedError {
  const why =
    cause instanceof Error ? cause.message : "the API server could not be reached or did not accept the renewal";
  return new CodedError(
    "LeadershipLost",
    `Cannot go on as leader: Lease ${lease} was not renewed for ${renewDeadlineMs} ms, ${why}`,
    { cause },
  );
}
