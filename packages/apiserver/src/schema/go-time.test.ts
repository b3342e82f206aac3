import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTime, instantOf } from "farwatch";
import { parseGoMicroTime, parseGoTime } from "./go-time.ts";

const seconds = `"2006-01-02T15:04:05Z07:00"`;
const micros = `"2006-01-02T15:04:05.000000Z07:00"`;
/** 2026-12-31T23:59:59Z */
const newYearMs = 1_798_761_599_000;

test("parseGoTime gives whole seconds in UTC", () => {
  assert.deepEqual(parseGoTime("2026-01-02T03:04:05Z"), { time: "2026-01-02T03:04:05Z" });
  assert.deepEqual(parseGoTime("2026-01-02T03:04:05.999+02:00"), { time: "2026-01-02T01:04:05Z" });
  assert.deepEqual(parseGoTime("2026-01-02T3:04:05Z"), { time: "2026-01-02T03:04:05Z" });
});

test("parseGoTime takes every day that there is, and no other", () => {
  for (let day = 0; day < 731; day += 1) {
    const time = formatTime(instantOf(newYearMs + day * 86_400_000));
    assert.deepEqual(parseGoTime(time), { time });
  }
  for (const day of [
    "2027-02-29",
    "2028-02-30",
    "2027-04-31",
    "2027-06-31",
    "2027-09-31",
    "2027-11-31",
    "2027-12-32",
  ]) {
    const time = `${day}T00:00:00Z`;
    assert.deepEqual(parseGoTime(time), { error: `parsing time "${time}": day out of range` });
  }
});

test("parseGoTime says what Go says of a text that is no time", () => {
  const errors = {
    "": `parsing time "" as ${seconds}: cannot parse "" as "2006"`,
    yesterday: `parsing time "yesterday" as ${seconds}: cannot parse "yesterday" as "2006"`,
    "2026-01-02": `parsing time "2026-01-02" as ${seconds}: cannot parse "" as "T"`,
    "2026-13-02T03:04:05Z": `parsing time "2026-13-02T03:04:05Z": month out of range`,
    "2026-02-30T03:04:05Z": `parsing time "2026-02-30T03:04:05Z": day out of range`,
    "2026-01-02T24:04:05Z": `parsing time "2026-01-02T24:04:05Z": hour out of range`,
    "2026-01-02T03:04:05": `parsing time "2026-01-02T03:04:05" as ${seconds}: cannot parse "" as "Z07:00"`,
    "2026-01-02T03:04:05Z!": `parsing time "2026-01-02T03:04:05Z!": extra text: "!"`,
  };
  for (const [text, error] of Object.entries(errors)) assert.deepEqual(parseGoTime(text), { error });
});

// B07
test("parseGoMicroTime takes exactly six digits of a second", () => {
  assert.deepEqual(parseGoMicroTime("2026-01-02T03:04:05.123456Z"), { time: "2026-01-02T03:04:05.123456Z" });
  assert.deepEqual(parseGoMicroTime("2026-01-02T03:04:05Z"), {
    error: `parsing time "2026-01-02T03:04:05Z" as ${micros}: cannot parse "Z" as ".000000"`,
  });
  assert.deepEqual(parseGoMicroTime("2026-01-02T03:04:05.123Z"), {
    error: `parsing time "2026-01-02T03:04:05.123Z" as ${micros}: cannot parse ".123Z" as ".000000"`,
  });
});
