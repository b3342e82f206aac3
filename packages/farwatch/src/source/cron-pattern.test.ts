import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseTime } from "../clock/instant.ts";
import { isCodedError } from "../error/coded-error.ts";
import { parseCronPattern } from "./cron-pattern.ts";

const ms = (time: string): number => parseTime(time)?.getTime() ?? Number.NaN;
const text = (at: number | undefined): string => new Intl.DateTimeFormat("sv", utc).format(at).replace(" ", "T");
const utc = { dateStyle: "short", timeStyle: "short", timeZone: "UTC" } as const;

/** The next times after `from`, in UTC. */
function times(pattern: string, timeZone: string, from: string, count: number): string[] {
  const cron = parseCronPattern(pattern, timeZone);
  const found: string[] = [];
  for (let at = cron.next(ms(from)); at !== undefined && found.length < count; at = cron.next(at)) found.push(text(at));
  return found;
}

test("cron pattern that names its times has one in a gap of the clocks at the end of the gap, the same day", () => {
  assert.deepEqual(times("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", 3), [
    "2026-03-28T01:30",
    "2026-03-29T01:00",
    "2026-03-30T00:30",
  ]);
  assert.deepEqual(times("30 2,14 * * *", "America/New_York", "2026-03-08T00:00:00Z", 3), [
    "2026-03-08T07:00",
    "2026-03-08T18:30",
    "2026-03-09T06:30",
  ]);
  // Half an hour, on the southern half of the earth.
  assert.deepEqual(times("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", 2), [
    "2026-10-03T15:30",
    "2026-10-04T15:15",
  ]);
  // Midnight itself does not exist.
  assert.deepEqual(times("0 0 * * *", "America/Santiago", "2026-09-05T12:00:00Z", 2), [
    "2026-09-06T04:00",
    "2026-09-07T03:00",
  ]);
});

test("cron pattern that names its times has one in a repeated hour once, the first", () => {
  assert.deepEqual(times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2), [
    "2026-10-25T00:30",
    "2026-10-26T01:30",
  ]);
  assert.deepEqual(times("15,45 1 * * *", "America/New_York", "2026-11-01T00:00:00Z", 3), [
    "2026-11-01T05:15",
    "2026-11-01T05:45",
    "2026-11-02T06:15",
  ]);
  assert.deepEqual(times("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z", 2), [
    "2026-04-04T14:45",
    "2026-04-05T15:15",
  ]);
});

test("cron pattern with a wildcard goes on through gaps and repeated hours, as time does", () => {
  assert.deepEqual(times("*/30 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", 6), [
    "2026-10-25T00:00",
    "2026-10-25T00:30",
    "2026-10-25T01:00",
    "2026-10-25T01:30",
    "2026-10-25T02:00",
    "2026-10-25T02:30",
  ]);
  assert.deepEqual(times("*/30 * * * *", "America/New_York", "2026-03-08T06:00:00Z", 3), [
    "2026-03-08T06:30",
    "2026-03-08T07:00",
    "2026-03-08T07:30",
  ]);
  assert.deepEqual(times("0 12 * * *", "UTC", "2026-03-29T00:00:00Z", 1), ["2026-03-29T12:00"]);
});

test("cron pattern takes five to seven fields, names, the last day and nicknames", () => {
  assert.deepEqual(times("*/20 * * * * *", "UTC", "2026-01-01T00:00:00Z", 3), [
    "2026-01-01T00:00",
    "2026-01-01T00:00",
    "2026-01-01T00:01",
  ]);
  assert.deepEqual(times("0 0 0 1 JAN * 2028", "UTC", "2026-01-01T00:00:00Z", 2), ["2028-01-01T00:00"]);
  assert.deepEqual(times("0 0 L * *", "UTC", "2028-02-01T00:00:00Z", 1), ["2028-02-29T00:00"]);
  assert.deepEqual(times("0 9 * * MON#1", "UTC", "2026-01-01T00:00:00Z", 1), ["2026-01-05T09:00"]);
  assert.deepEqual(times("@daily", "UTC", "2026-01-01T00:00:00Z", 1), ["2026-01-02T00:00"]);
});

test("cron pattern is refused with what is wrong with it", () => {
  const refusals: readonly (readonly [pattern: string, timeZone: string, what: RegExp])[] = [
    ["nope", "UTC", /"nope": invalid configuration format.*; give five fields /],
    ["", "UTC", /pattern is empty, give five fields /],
    ["* * * *", "UTC", /parts/],
    ["61 * * * *", "UTC", /minute/],
    ["* * * * *", "Mars/Base", /timeZone is "Mars\/Base", no time zone/],
    ["* * * * *", "", /timeZone is "", no time zone/],
    ["0 0 30 2 *", "UTC", /names no time/],
    ["2030-01-01T00:00:00Z", "UTC", /single time/],
    ["@reboot", "UTC", /reboot/],
  ];
  for (const [pattern, timeZone, what] of refusals) {
    assert.throws(
      () => parseCronPattern(pattern, timeZone),
      (error) => isCodedError(error, "InvalidOption") && what.test(error.message),
      pattern,
    );
  }
});

test("cron pattern tells the latest of the times that have passed, the same from both ends and across changes of the clocks", () => {
  const patterns = ["*/30 * * * *", "30 2 * * *", "30 2,14 * * *", "15 1-3 * * *", "*/7 1,2 * * *", "0 */2 * * 1"];
  const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Asia/Kathmandu"];
  fc.assert(
    fc.property(
      fc.constantFrom(...patterns),
      fc.constantFrom(...zones),
      fc.integer({ min: ms("2026-01-01T00:00:00Z"), max: ms("2027-01-01T00:00:00Z") }),
      fc.integer({ min: 0, max: 3 * 86_400_000 }),
      fc.integer({ min: 1, max: 20 }),
      (pattern, zone, afterMs, spanMs, most) => {
        const cron = parseCronPattern(pattern, zone);
        const all = cron.passed(afterMs, afterMs + spanMs, 10_000);
        assert.deepEqual(cron.passed(afterMs, afterMs + spanMs, most), all.slice(-most));
        all.forEach((at, index) => {
          assert.ok(at > (all[index - 1] ?? afterMs) && at <= afterMs + spanMs);
        });
      },
    ),
    { numRuns: 100 },
  );
});
