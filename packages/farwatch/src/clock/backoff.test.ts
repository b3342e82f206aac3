import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { backoff } from "./backoff.ts";
import { seededRandom } from "./random.ts";

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
