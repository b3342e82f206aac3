import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "./random.ts";

test("seeded random repeats itself for a seed, and differs between seeds", () => {
  const take = (seed: number): readonly number[] => Array.from({ length: 5 }, seededRandom(seed));
  assert.deepEqual(take(7), take(7));
  assert.notDeepEqual(take(7), take(8));
});

test("seeded random spreads evenly over 0 to 1", () => {
  const random = seededRandom(1);
  const counts = Array.from({ length: 10 }, () => 0);
  for (let round = 0; round < 10_000; round += 1) {
    const value = random();
    assert.ok(value >= 0 && value < 1);
    const decile = Math.floor(value * 10);
    counts[decile] = (counts[decile] ?? 0) + 1;
  }
  for (const count of counts) assert.ok(count > 850 && count < 1_150, `${counts}`);
});

test("seeded random takes whole numbers alone, and says so", () => {
  for (const seed of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, 2 ** 53]) {
    assert.throws(() => seededRandom(seed), {
      code: "InvalidOption",
      message: `Cannot draw from seed ${seed}: give a whole number from 0 to 9007199254740991`,
    });
  }
  for (const seed of [0, 2 ** 53 - 1]) assert.ok(seededRandom(seed)() < 1);
});
