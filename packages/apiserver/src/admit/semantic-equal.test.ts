import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { semanticEqual } from "./semantic-equal.ts";

test("semanticEqual takes an absent list for an empty one, and null for nothing", () => {
  assert.ok(semanticEqual({ a: [] }, {}));
  assert.ok(semanticEqual({ a: null }, { a: [] }));
  assert.ok(semanticEqual(undefined, null));
  assert.ok(!semanticEqual({ a: {} }, {}));
  assert.ok(!semanticEqual({ a: 0 }, {}));
});

test("semanticEqual minds the order of items and not that of keys", () => {
  assert.ok(semanticEqual({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }));
  assert.ok(!semanticEqual([1, 2], [2, 1]));
  assert.ok(!semanticEqual({ 0: 1 }, [1]));
});

test("semanticEqual is the same both ways, and of everything with its copy", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      assert.equal(semanticEqual(one, other), semanticEqual(other, one));
      assert.ok(semanticEqual(one, structuredClone(one)));
    }),
  );
});
