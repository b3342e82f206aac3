import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { backoff, seededRandom } from "./backoff.ts";

test("backoff doubles from its first delay to its longest", () => {
  const { delayMs } = backoff({ initial: "1s", max: "30s", jitter: "none" });
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7].map(delayMs), [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test("backoff spreads over all of its delay, or over the upper half", () => {
  const failures = fc.integer({ min: 1, max: 20 });
  fc.assert(
    fc.property(failures, fc.nat(), (n, seed) => {
      const plainMs = backoff({ jitter: "none" }).delayMs(n);
      const fullMs = backoff({ random: seededRandom(seed) }).delayMs(n);
      const equalMs = backoff({ jitter: "equal", random: seededRandom(seed) }).delayMs(n);
      assert.ok(fullMs >= 0 && fullMs < plainMs);
      assert.ok(equalMs >= plainMs / 2 && equalMs < plainMs);
    }),
  );
  assert.equal(backoff({ random: () => 0 }).delayMs(3), 0);
  assert.equal(backoff({ jitter: "equal", random: () => 0.5 }).delayMs(3), 3_000);
});

test("backoff gives a delay within its limits after any number of failures", () => {
  for (const failures of [0, 1, 1_025, 1e9, Number.MAX_SAFE_INTEGER]) {
    assert.equal(backoff({ initial: 0, jitter: "none" }).delayMs(failures), 0);
    const ms = backoff({ jitter: "none" }).delayMs(failures);
    assert.ok(ms >= 1_000 && ms <= 30_000, `${ms} after ${failures}`);
  }
});

test("backoff refuses a factor that would shrink, and durations that are none", () => {
  assert.throws(() => backoff({ factor: 0.5 }), {
    code: "InvalidOption",
    message: "Cannot back off: factor is 0.5, give a number of at least 1",
  });
  assert.throws(() => backoff({ factor: Number.NaN }), { code: "InvalidOption" });
  assert.throws(() => backoff({ initial: -1 }), { code: "InvalidDuration" });
});

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
