import type { Clock } from "./clock.ts";

/** Pieces of work that may follow each other, and for how long, without the event loop turning in between. */
const burst = 100;
const burstMs = 20;

/**
 * Asked before each piece of work: undefined to go on, or a promise to wait for first. After each hundredth piece, and after 20 ms,
 * the event loop turns, so that work which waits for nothing outside, or computes for long, cannot keep timers, sockets and signals
 * from being served. Whoever shares a breather waits for the same turn.
 */
export function createBreather(clock: Clock): () => Promise<void> | undefined {
  let left = burst;
  let sinceMs = clock.elapsed();
  let turning: Promise<void> | undefined;
  return () => {
    if (turning !== undefined) return turning;
    left -= 1;
    if (left >= 0 && clock.elapsed() - sinceMs < burstMs) return undefined;
    turning = clock.outside(new Promise<void>((resolve) => setImmediate(resolve))).then(() => {
      left = burst;
      sinceMs = clock.elapsed();
      turning = undefined;
    });
    return turning;
  };
}
