import type { Clock } from "../clock/clock.ts";
import { CodedError } from "../error/coded-error.ts";

/** Aborts its signal when nothing was heard for so long. Dispose of it when the wait is over. */
export interface SilenceDeadline extends Disposable {
  /** Aborts with CodedError `WatchSilent`, or with the parent's reason when that aborts. */
  readonly signal: AbortSignal;
  /** A sign of life: the time begins anew, from now on with this limit when one is given. */
  heard(limitMs?: number): void;
}

export function createSilenceDeadline(options: {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly parent: AbortSignal;
  /** For the error: `watch storagebuckets`. */
  readonly doing: string;
}): SilenceDeadline {
  const { clock, parent, doing } = options;
  const controller = new AbortController();
  let limitMs = options.limitMs;
  let heardMs = clock.elapsed();
  let timer: Disposable | undefined;

  // Signs of life come by the thousand: they move a number, and the one timer looks at it when it fires.
  const arm = (): void => {
    const leftMs = heardMs + limitMs - clock.elapsed();
    if (leftMs > 0) {
      timer = clock.schedule(leftMs, arm, { unref: true });
      return;
    }
    parent.removeEventListener("abort", onParentAbort);
    controller.abort(
      new CodedError(
        "WatchSilent",
        `Cannot ${doing}: the server was silent for ${limitMs / 1_000} s, the connection is taken for dead`,
      ),
    );
  };
  const dispose = (): void => {
    timer?.[Symbol.dispose]();
    parent.removeEventListener("abort", onParentAbort);
  };
  const onParentAbort = (): void => {
    dispose();
    controller.abort(parent.reason);
  };

  if (parent.aborted) controller.abort(parent.reason);
  else {
    parent.addEventListener("abort", onParentAbort, { once: true });
    arm();
  }
  return {
    signal: controller.signal,
    heard(newLimitMs): void {
      heardMs = clock.elapsed();
      if (newLimitMs === undefined || newLimitMs === limitMs || controller.signal.aborted) return;
      limitMs = newLimitMs;
      timer?.[Symbol.dispose]();
      arm();
    },
    [Symbol.dispose]: dispose,
  };
}
