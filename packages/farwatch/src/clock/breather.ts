import type { Clock } from "./clock.ts";

/** For how long pieces of work may follow each other without the event loop turning in between. */
const burstMs = 20;

export interface BreatherOptions {
  /** Pieces of work that may; default 100. */
  readonly pieces?: number;
}

/**
 * Asked before each piece of work: undefined to go on, or a promise to wait for first. After so many pieces, and after
 * 20 ms, in which the event loop has not turned, it is made to turn, so that work which waits for nothing outside, or
 * computes for long, cannot keep timers, sockets and signals from being served. Whoever shares a breather waits for the
 * same turn.
 */
export function createBreather(clock: Clock, { pieces = 100 }: BreatherOptions = {}): () => Promise<void> | undefined {
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
      left = pieces;
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
