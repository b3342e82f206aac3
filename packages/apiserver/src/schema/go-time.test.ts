import assert from "node:assert/strict";
import { test } from "node:test";
import { parseGoMicroTime, parseGoTime } from "./go-time.ts";

const seconds = `"2006-01-02T15:04:05Z07:00"`;
const micros = `"2006-01-02T15:04:05.000000Z07:00"`;

test("parseGoTime gives whole seconds in UTC", () => {
  assert.deepEqual(parseGoTime("2026-01-02T03:04:05Z"), { time: "2026-01-02T03:04:05Z" });
  assert.deepEqual(parseGoTime("2026-01-02T03:04:05.999+02:00"), { time: "2026-01-02T01:04:05Z" });
  assert.deepEqual(parseGoTime("2026-01-02T3:04:05Z"), { time: "2026-01-02T03:04:05Z" });
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
