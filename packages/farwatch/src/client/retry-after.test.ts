import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTime } from "../clock/instant.ts";
import { parseRetryAfter } from "./retry-after.ts";

test("parseRetryAfter reads seconds and HTTP dates, and nothing else", () => {
  const now = parseTime("2030-01-01T00:00:00Z");
  assert.ok(now !== undefined);
  const cases: readonly (readonly [string | undefined, number | undefined])[] = [
    [undefined, undefined],
    ["1", 1_000],
    [" 120 ", 120_000],
    ["0", 0],
    ["Tue, 01 Jan 2030 00:00:30 GMT", 30_000],
    ["Mon, 31 Dec 2029 23:59:00 GMT", 0],
    ["-1", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["Tue, 01 Foo 2030 00:00:30 GMT", undefined],
    ["99999999999999999999", undefined],
  ];
  for (const [header, expected] of cases) assert.equal(parseRetryAfter(header, now), expected, String(header));
});
