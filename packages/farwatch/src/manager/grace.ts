import type { Clock } from "../clock/clock.ts";

/**
 * Waits for work to end: as long as it likes until `stop` aborts, and `graceMs` from then on. False when the work had
 * not ended by then; rejects with what the work rejects with.
 */
export async function endsInTime(
  work: Promise<void>,
  stop: AbortSignal,
  graceMs: number,
  clock: Clock,
): Promise<boolean> {
  const ended = new AbortController();
  const late = async (): Promise<boolean> => {
    if (!stop.aborted) {
      await new Promise<void>((resolve) => {
        stop.addEventListener("abort", () => resolve(), { once: true, signal: ended.signal });
        ended.signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    try {
      await clock.sleep(graceMs, ended.signal);
    } catch (reason) {
      if (reason !== ended.signal.reason) throw reason;
    }
    return false;
  };
  try {
    return await Promise.race([work.then(() => true), late()]);
  } finally {
    ended.abort();
  }
}
