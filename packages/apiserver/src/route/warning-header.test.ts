import assert from "node:assert/strict";
import { test } from "node:test";
import { warningHeaders } from "./warning-header.ts";

test("warningHeaders quotes texts, and leaves out what a header cannot hold", () => {
  assert.deepEqual(warningHeaders(['unknown field "a\\b"']), ['299 - "unknown field \\"a\\\\b\\""']);
  assert.deepEqual(warningHeaders(["a\r\nset-cookie: b\u0000c\u007f\u0085"]), ['299 - "a set-cookie: b c "']);
  assert.deepEqual(warningHeaders(["", "häß ☃"]), ['299 - "häß ☃"']);
});

test("warningHeaders cuts what is together too long for a header", () => {
  const texts = Array.from({ length: 100 }, (_, index) => `${index}${"x".repeat(1000)}`);
  const headers = warningHeaders(texts);
  assert.equal(headers.length, 16);
  for (const header of headers) assert.equal(header.length, 256 + '299 - ""'.length);
  assert.equal(warningHeaders(["x".repeat(4096)])[0]?.length, 4096 + 8, "a long one alone is whole");
  assert.equal(warningHeaders(["☃".repeat(4097)])[0]?.length, 256 + 8);
});
