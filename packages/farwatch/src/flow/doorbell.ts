import type { Clock } from "../clock/clock.ts";

/** Wakes the one reader of a source before its time. */
export interface Doorbell {
  /** Ends the wait under way; without one, the next wait ends at once. */
  ring(): void;
  /**
   * Resolves when it rings, the time, which may be infinite, is over, or the signal aborts: whoever waits looks which.
   * True when it has rung since the wait before.
   */
  wait(atMostMs: number, signal: AbortSignal): Promise<boolean>;
}

export function createDoorbell(clock: Clock): Doorbell {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring(): void {
      rung = true;
      wake?.();
    },
    async wait(atMostMs, signal): Promise<boolean> {
      if (!rung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = Number.isFinite(atMostMs) ? clock.schedule(atMostMs, () => wake?.()) : undefined;
          wake = () => {
            wake = undefined;
            timer?.[Symbol.dispose]();
            signal.removeEventListener("abort", onAbort);
            resolve();
          };
          const onAbort = (): void => wake?.();
          signal.addEventListener("abort", onAbort, { once: true });
        });
      }
      const hasRung = rung;
      rung = false;
      return hasRung;
    },
  };
}
