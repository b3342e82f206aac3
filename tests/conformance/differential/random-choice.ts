import { type Random, seededRandom } from "farwatch";

/** Choices that follow from a seed. */
export interface Choice {
  /** 0 to below the limit. */
  below(limit: number): number;
  /** True that often, of 1. */
  chance(probability: number): boolean;
  of<T>(items: readonly T[]): T;
  /** By weights. */
  weighed<T>(items: readonly (readonly [weight: number, item: T])[]): T;
}

export function createChoice(seed: number): Choice {
  const random: Random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const of = <T>(items: readonly T[]): T => {
    const item = items[below(items.length)];
    if (items.length === 0) throw new Error("Cannot choose of nothing");
    return item as T;
  };
  return {
    below,
    of,
    chance: (probability) => random() < probability,
    weighed(items) {
      let left = random() * items.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, item] of items) {
        left -= weight;
        if (left < 0) return item;
      }
      return of(items)[1];
    },
  };
}
