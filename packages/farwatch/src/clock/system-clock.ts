import type { Clock } from "./clock.ts";
import { clockFrom } from "./clock-core.ts";

/** setTimeout fires at once for anything longer than this. */
const longestTimerMs = 2 ** 31 - 1;

function scheduleMs(afterMs: number, run: () => void, unref: boolean): Disposable {
  const dueMs = performance.now() + afterMs;
  let handle: NodeJS.Timeout;
  const arm = (): void => {
    // A Node timer may fire up to one millisecond early; rounding up keeps "not before its time" true.
    const leftMs = Math.ceil(dueMs - performance.now());
    handle = setTimeout(leftMs > longestTimerMs ? arm : run, Math.min(Math.max(leftMs, 0), longestTimerMs));
    if (unref) handle.unref();
  };
  arm();
  return { [Symbol.dispose]: () => clearTimeout(handle) };
}

/** The machine's clock: Date for the wall, performance.now() for what must not jump. */
export const systemClock: Clock = clockFrom({
  now: () => new Date(),
  elapsed: () => performance.now(),
  scheduleMs,
  outside: (work) => work,
});
