import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type DurationString, toMs } from "./duration.ts";

test("duration reads milliseconds, seconds, minutes and hours", () => {
  assert.equal(toMs(1_500), 1_500);
  assert.equal(toMs(0), 0);
  assert.equal(toMs("250ms"), 250);
  assert.equal(toMs("90s"), 90_000);
  assert.equal(toMs("1.5m"), 90_000);
  assert.equal(toMs("0.25h"), 900_000);
});

test("duration in a unit is its amount times the unit", () => {
  const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
  const unit = fc.constantFrom(...(Object.keys(units) as (keyof typeof units)[]));
  const amount = fc.oneof(
    fc.nat(),
    fc.nat({ max: 100_000 }).map((n) => n / 1_000),
  );
  fc.assert(fc.property(amount, unit, (n, u) => assert.equal(toMs(`${n}${u}`), n * units[u])));
});

test("duration reads nothing else, and says what to write", () => {
  const wrong = [
    "",
    "30",
    "s",
    "30 s",
    " 30s",
    "30s\n",
    "-1s",
    "+1s",
    "1e3s",
    "0x10s",
    ".5s",
    "1.s",
    "1d",
    "1S",
    "1m30s",
    "Infinityh",
  ];
  const numbers = [-1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const tooLong = `${"9".repeat(400)}h`;
  for (const each of [...wrong, ...numbers, tooLong]) {
    assert.throws(() => toMs(each as DurationString), { code: "InvalidDuration" }, String(each));
  }
  assert.throws(() => toMs("30" as DurationString), {
    message: 'Cannot read duration "30": use a number of milliseconds, or a number with ms, s, m or h, such as "30s"',
  });
});

test("duration is a finite number of milliseconds or an error, whatever the text", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.]{1,5}(ms|s|m|h|d)$/)), (text) => {
      try {
        const ms = toMs(text as DurationString);
        assert.ok(Number.isFinite(ms) && ms >= 0);
      } catch (error) {
        assert.equal((error as { code?: string }).code, "InvalidDuration");
      }
    }),
  );
});
