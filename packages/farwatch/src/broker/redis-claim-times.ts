import { createHeap } from "../flow/heap.ts";

/**
 * When a reader of a group has to look for entries that it may claim, in milliseconds of the clock that has elapsed.
 */
export interface RedisClaimTimes {
  /** The earliest time at which there may be one. */
  readonly nextMs: number;
  /** An entry was given back, and can be claimed from then on. */
  givenBack(atMs: number): void;
  /** A look at `nowMs` has found all that there was; the next, for what dead readers left, is at `againMs`. */
  looked(nowMs: number, againMs: number): void;
}

/** The first look is at `lookAtMs`. */
export function createRedisClaimTimes(lookAtMs: number): RedisClaimTimes {
  /** For readers that died. */
  let deadMs = lookAtMs;
  const backMs = createHeap<number>((a, b) => a < b);
  const firstBackMs = (): number => backMs.peek() ?? Number.POSITIVE_INFINITY;
  return {
    get nextMs() {
      return Math.min(deadMs, firstBackMs());
    },
    givenBack(atMs): void {
      backMs.push(atMs);
    },
    looked(nowMs, againMs): void {
      deadMs = againMs;
      while (firstBackMs() <= nowMs) backMs.pop();
    },
  };
}
