import type { Clock } from "./clock.ts";
import { clockFrom } from "./clock-core.ts";

/** setTimeout fires at once for anything longer than this. */
const longestTimerMs = 2 ** 31 - 1;

function scheduleMs(afterMs: number, run: () => void, unref: boolean): Disposable {
  const dueMs = performance.now() + afterMs;
  let handle: NodeJS.Timeout;
  const arm = (leftMs: number): void => {
    handle = setTimeout(fire, Math.min(Math.ceil(leftMs), longestTimerMs));
    if (unref) handle.unref();
  };
  // Node rounds to milliseconds, so that a timer may fire up to one too early.
  const fire = (): void => {
    const leftMs = dueMs - performance.now();
    if (leftMs > 0) arm(leftMs);
    else run();
  };
  arm(afterMs);
  return { [Symbol.dispose]: () => clearTimeout(handle) };
}

/** The machine's clock: Date for the wall, performance.now() for what must not jump. */
export const systemClock: Clock = clockFrom({
  now: () => new Date(),
  elapsed: () => performance.now(),
  scheduleMs,
  outside: (work) => work,
  random: Math.random,
});
