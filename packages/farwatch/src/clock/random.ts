import { CodedError } from "../error/coded-error.ts";

/** A source of numbers in [0, 1). */
export type Random = () => number;

/** Math.random under a name, so that whoever needs randomness can be given a seeded one instead. */
export const systemRandom: Random = Math.random;

/**
 * A small seeded generator (mulberry32): the same seed gives the same sequence, of which there are 2^32; for jitter,
 * not for secrets.
 *
 * @throws CodedError `InvalidOption` for a seed that is no whole number from 0 to 2^53 - 1.
 */
export function seededRandom(seed: number): Random {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new CodedError(
      "InvalidOption",
      `Cannot draw from seed ${seed}: give a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
    );
  }
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
