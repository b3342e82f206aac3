import assert from "node:assert/strict";
import { test } from "node:test";
import { readFieldSelector } from "./field-selector.ts";

const read = (selector: string): readonly string[] =>
  readFieldSelector(selector).map(({ field, isEqual, value }) => `${field} ${isEqual ? "is" : "is not"} ${value}`);

test("readFieldSelector reads equalities in the order of their texts", () => {
  assert.deepEqual(read(""), []);
  assert.deepEqual(read("spec.b!=2,spec.a==1,,metadata.name=x"), [
    "metadata.name is x",
    "spec.a is 1",
    "spec.b is not 2",
  ]);
});

test("readFieldSelector takes any text for a field, and escapes in values alone", () => {
  assert.deepEqual(read("=a"), [" is a"]);
  assert.deepEqual(read(" metadata.name = a"), [" metadata.name  is  a"]);
  assert.deepEqual(read("a=1\\,2\\=3\\\\"), ["a is 1,2=3\\"]);
});

test("readFieldSelector refuses what it cannot read in the words of the real server", () => {
  for (const [selector, message] of [
    ["nothing", "invalid selector: 'nothing'; can't understand 'nothing'"],
    ["a=1,b", "invalid selector: 'a=1,b'; can't understand 'b'"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61"],
    ["a=\\b", "invalid field selector: invalid escape sequence: \\b"],
    ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
  ] as const)
    assert.throws(() => readFieldSelector(selector), { code: 400, message });
});
