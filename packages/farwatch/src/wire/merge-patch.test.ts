import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { applyMergePatch, mergePatchBetween } from "./merge-patch.ts";
import type { JsonObject } from "./structural-schema.ts";

// The table of RFC 7386, appendix A.
const table: readonly (readonly [target: unknown, patch: unknown, result: unknown])[] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

test("applyMergePatch does what RFC 7386 says", () => {
  for (const [target, patch, result] of table) {
    assert.deepEqual(applyMergePatch(target, patch), result, JSON.stringify([target, patch]));
  }
});

const key = fc.constantFrom("a", "b", "c", "__proto__");
const leaf = fc.oneof(
  fc.integer(),
  fc.string(),
  fc.boolean(),
  fc.array(fc.oneof(fc.integer(), fc.constant(null)), { maxLength: 3 }),
);
const { object } = fc.letrec<{ object: JsonObject; value: unknown }>((tie) => ({
  object: fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  value: fc.oneof({ maxDepth: 3 }, leaf, tie("object")),
}));

test("mergePatchBetween turns one object into the other", () => {
  fc.assert(
    fc.property(object, object, (from, to) => {
      const before = structuredClone(from);
      assert.deepEqual(applyMergePatch(from, mergePatchBetween(from, to) ?? {}), to);
      assert.deepEqual(from, before);
    }),
  );
});

test("mergePatchBetween is undefined exactly for equal objects", () => {
  fc.assert(
    fc.property(object, object, (from, to) => {
      const equal = JSON.stringify(sorted(from)) === JSON.stringify(sorted(to));
      assert.equal(mergePatchBetween(from, to) === undefined, equal);
      assert.equal(mergePatchBetween(from, structuredClone(from)), undefined);
    }),
  );
});

test("mergePatchBetween names no field that it does not change", () => {
  fc.assert(
    fc.property(object, object, (from, to) => {
      const patch = mergePatchBetween(from, to) ?? {};
      for (const name of Object.keys(patch)) {
        const rest: Record<string, unknown> = {};
        for (const [other, value] of Object.entries(patch)) {
          if (other !== name) Object.defineProperty(rest, other, { value, enumerable: true });
        }
        assert.notDeepEqual(applyMergePatch(from, rest), to);
      }
    }),
  );
});

test("mergePatchBetween counts undefined, and null in what shall be, as absent", () => {
  assert.equal(mergePatchBetween({ a: undefined }, { b: undefined, c: null }), undefined);
  assert.deepEqual(mergePatchBetween({ a: 1 }, { a: undefined }), { a: null });
  assert.deepEqual(mergePatchBetween({ a: 1 }, { a: null }), { a: null });
  assert.deepEqual(mergePatchBetween({}, { a: { b: null, c: 1 } }), { a: { c: 1 } });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => [name, sorted(each)]);
}
