import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTime } from "farwatch";
import { ageText, sinceText } from "./age-text.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test("ageText shows fewer units the older something is, as kubectl does", () => {
  for (const [ms, text] of [
    [-2 * second, "<invalid>"],
    [-1 * second, "0s"],
    [0, "0s"],
    [119 * second, "119s"],
    [2 * minute, "2m"],
    [9 * minute + 59 * second, "9m59s"],
    [10 * minute + 59 * second, "10m"],
    [179 * minute, "179m"],
    [3 * hour, "3h"],
    [7 * hour + 59 * minute, "7h59m"],
    [8 * hour + 59 * minute, "8h"],
    [47 * hour, "47h"],
    [2 * day, "2d"],
    [7 * day + 23 * hour, "7d23h"],
    [8 * day + 23 * hour, "8d"],
    [729 * day, "729d"],
    [730 * day, "2y"],
    [731 * day, "2y1d"],
    [8 * 365 * day - day, "7y364d"],
    [8 * 365 * day + day, "8y"],
  ] as const)
    assert.equal(ageText(ms), text);
});

test("sinceText knows no age of what is no time", () => {
  const now = parseTime("2026-01-01T00:00:10Z")?.getTime() ?? 0;
  assert.equal(sinceText("2026-01-01T00:00:00Z", now), "10s");
  for (const none of [undefined, null, "", "yesterday", 5, {}]) assert.equal(sinceText(none, now), "<unknown>");
});
