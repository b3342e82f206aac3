/** A source of numbers in [0, 1). */
export type Random = () => number;

/** Math.random under a name, so that whoever needs randomness can be given a seeded one instead. */
export const systemRandom: Random = Math.random;

/** A small seeded generator (mulberry32): the same seed gives the same sequence; for jitter, not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
