import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { copyJson, sameJson } from "./plain-object.ts";

/** Without -0, of which JSON's text is 0. */
const json = fc.json().map((text): unknown => JSON.parse(text.replaceAll("-0", "0")));

test("copyJson copies every part, and fields of any name", () => {
  fc.assert(fc.property(json, (value) => assert.deepEqual(copyJson(value), value)));
  const value = JSON.parse(`{"__proto__":{"a":[{"b":1}]}}`);
  const copy = copyJson(value);
  assert.deepEqual(Object.keys(copy), ["__proto__"]);
  const { value: inner } = Object.getOwnPropertyDescriptor(copy, "__proto__") ?? {};
  assert.deepEqual(inner, { a: [{ b: 1 }] });
  assert.notEqual(inner, Object.getOwnPropertyDescriptor(value, "__proto__")?.value);
});

test("sameJson says what isDeepStrictEqual says", () => {
  fc.assert(fc.property(json, json, (a, b) => assert.equal(sameJson(a, b), isDeepStrictEqual(a, b))));
  fc.assert(fc.property(json, (a) => assert.ok(sameJson(a, copyJson(a)))));
});

test("sameJson passes over the order of fields, and tells absent ones, null and empty values apart", () => {
  assert.ok(sameJson({ a: 1, b: [{}] }, { b: [{}], a: 1 }));
  const others = [{}, { a: null }, { a: {} }, { a: [] }, { a: "" }, { b: null }, [], null, { ["__proto__"]: null }];
  for (const [index, one] of others.entries())
    for (const [place, other] of others.entries()) assert.equal(sameJson(one, other), index === place);
});
