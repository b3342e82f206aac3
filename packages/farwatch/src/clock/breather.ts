import type { Clock } from "./clock.ts";

/** Pieces of work that may follow each other, and for how long, without the event loop turning in between. */
const burst = 100;
const burstMs = 20;

/**
 * Asked before each piece of work: undefined to go on, or a promise to wait for first. After each hundredth piece, and
 * after 20 ms, in which the event loop has not turned, it is made to turn, so that work which waits for nothing
 * outside, or computes for long, cannot keep timers, sockets and signals from being served. Whoever shares a breather
 * waits for the same turn.
 */
export function createBreather(clock: Clock): () => Promise<void> | undefined {
  let left = 0;
  let sinceMs = 0;
  /** Since its first piece the event loop has not turned. */
  let inBurst = false;
  let turning: Promise<void> | undefined;
  const turned = (): void => {
    inBurst = false;
  };
  return () => {
    if (turning !== undefined) return turning;
    if (!inBurst) {
      inBurst = true;
      left = burst;
      sinceMs = clock.elapsed();
      // Nobody waits for this one: where it comes in time the work has let the loop turn by itself.
      setImmediate(turned);
    }
    left -= 1;
    if (left >= 0 && clock.elapsed() - sinceMs < burstMs) return undefined;
    turning = clock.outside(new Promise<void>((resolve) => setImmediate(resolve))).then(() => {
      inBurst = false;
      turning = undefined;
    });
    return turning;
  };
}
