import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readMerged } from "./merged-json.ts";

test("readMerged reads what stands under a name twice into one place", () => {
  assert.deepEqual(readMerged('{"metadata":{"name":"a"},"metadata":{}}'), { metadata: { name: "a" } });
  assert.deepEqual(readMerged('{"a":{"b":1,"c":{"d":2}},"a":{"b":3,"c":{"e":4}}}'), { a: { b: 3, c: { d: 2, e: 4 } } });
  assert.deepEqual(readMerged('{"a":[{"b":1},{"b":2}],"a":[{"c":3}]}'), { a: [{ b: 1, c: 3 }] });
});

test("readMerged keeps the second of two values that are no objects", () => {
  assert.deepEqual(readMerged('{"a":1,"a":"2"}'), { a: "2" });
  assert.deepEqual(readMerged('{"a":{"b":1},"a":null}'), { a: null });
});

test("readMerged takes __proto__ for a name like any other", () => {
  const value = readMerged('{"__proto__":{"a":1},"__proto__":{"b":2}}') as object;
  assert.deepEqual(Object.keys(value), ["__proto__"]);
  assert.deepEqual(JSON.stringify(value), '{"__proto__":{"a":1,"b":2}}');
  assert.equal((value as { a?: number }).a, undefined);
});

test("readMerged reads every text in which no name stands twice as JSON.parse does", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 1, 2), (json, indent) => {
      const text = JSON.stringify(JSON.parse(json), undefined, indent);
      assert.deepEqual(readMerged(text), JSON.parse(text));
    }),
  );
});
