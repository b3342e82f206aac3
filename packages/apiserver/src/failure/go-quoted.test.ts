import assert from "node:assert/strict";
import { test } from "node:test";
import { goQuoted, goQuotedList } from "./go-quoted.ts";

test("goQuoted leaves what can be printed, in any script", () => {
  assert.equal(goQuoted("aé日 x"), '"aé日 x"');
});

test("goQuoted escapes quotes, backslashes, controls and what has no form", () => {
  assert.equal(goQuoted('a"b\\c\n\u0001\u007f\u200b\u{e0001}'), '"a\\"b\\\\c\\n\\x01\\x7f\\u200b\\U000e0001"');
});

test("goQuotedList prints a slice", () => {
  assert.equal(goQuotedList(["a", "b"]), '["a" "b"]');
  assert.equal(goQuotedList([]), "[]");
});
