import type { Clock } from "./clock.ts";

/** Pieces of work that may follow each other without the event loop turning in between. */
const burst = 100;

/**
 * Asked before each piece of work: undefined to go on, or a promise to wait for first. After each hundredth piece the event loop
 * turns, so that work which waits for nothing outside cannot keep timers, sockets and signals from being served. Whoever shares
 * a breather waits for the same turn.
 */
export function createBreather(clock: Clock): () => Promise<void> | undefined {
  let left = burst;
  let turning: Promise<void> | undefined;
  return () => {
    if (turning !== undefined) return turning;
    left -= 1;
    if (left >= 0) return undefined;
    turning = clock.outside(new Promise<void>((resolve) => setImmediate(resolve))).then(() => {
      left = burst;
      turning = undefined;
    });
    return turning;
  };
}
