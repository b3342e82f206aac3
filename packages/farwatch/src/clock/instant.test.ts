import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatMicroTime, formatTime, instantOf, parseTime } from "./instant.ts";

const anyInstant = fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true });

test("instant is written with whole seconds, or with six digits of them", () => {
  const at = instantOf(1_893_456_000_987);
  assert.equal(formatTime(at), "2030-01-01T00:00:00Z");
  assert.equal(formatMicroTime(at), "2030-01-01T00:00:00.987000Z");
});

test("instant that was written is read back, to the digits that were written", () => {
  fc.assert(
    fc.property(anyInstant, (at) => {
      assert.match(formatMicroTime(at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      assert.deepEqual(parseTime(formatMicroTime(at)), at);
      assert.equal(parseTime(formatTime(at))?.getTime(), Math.floor(at.getTime() / 1_000) * 1_000);
    }),
  );
});

test("instant is read in every form that RFC 3339 has for the server's times", () => {
  const noonMs = Date.UTC(2030, 0, 1, 12);
  for (const text of ["2030-01-01T12:00:00Z", "2030-01-01T14:00:00+02:00", "2030-01-01T12:00:00.000000Z"]) {
    assert.equal(parseTime(text)?.getTime(), noonMs, text);
  }
  assert.equal(parseTime("2030-01-01T12:00:00.123456789Z")?.getTime(), noonMs + 123);
});

test("instant is not read from a text that is no time", () => {
  const wrong = [
    "",
    "now",
    "2030-01-01",
    "2030-01-01T12:00:00",
    "2030-13-01T12:00:00Z",
    "2030-01-01T25:00:00Z",
    "2030-02-30T00:00:00Z",
  ];
  for (const text of [...wrong, " 2030-01-01T12:00:00Z", "2030-01-01T12:00:00.Z", "1893499200000"]) {
    assert.equal(parseTime(text), undefined, text);
  }
});
