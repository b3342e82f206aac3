import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { jsonPatchChanges, mergePatchChanges, sameObject } from "./no-change.ts";

/** RFC 7386, section 2, word by word. */
function applied(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const isMap = typeof target === "object" && target !== null && !Array.isArray(target);
  const result: Record<string, unknown> = isMap ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, name);
    else result[name] = applied(result[name], value);
  }
  return result;
}

test("mergePatchChanges agrees with RFC 7386 about what changes", () => {
  const key = fc.constantFrom("a", "b", "constructor");
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, 0, 1, "x", true),
      fc.array(tie("value"), { maxLength: 2 }),
      tie("map"),
    ),
    map: fc.dictionary(key, tie("value"), { maxKeys: 2, noNullPrototype: true }),
  }));
  fc.assert(
    fc.property(value, value, (target, patch) => {
      assert.equal(mergePatchChanges(target, patch), !isDeepStrictEqual(applied(target, patch), target));
    }),
    { numRuns: 2_000 },
  );
});

test("mergePatchChanges takes undefined for what it is in JSON: not there", () => {
  assert.equal(mergePatchChanges({ a: 1 }, { a: undefined, b: undefined }), false);
  assert.equal(mergePatchChanges({ a: undefined }, { a: null }), false);
});

test("jsonPatchChanges is false only when every operation finds what it writes", () => {
  const object = { a: { "x/y": 1, "m~n": [1, 2] }, list: ["p"] };
  assert.equal(jsonPatchChanges(object, []), false);
  assert.equal(jsonPatchChanges(object, [{ op: "replace", path: "/a/x~1y", value: 1 }]), false);
  assert.equal(jsonPatchChanges(object, [{ op: "add", path: "/a/m~0n", value: [1, 2] }]), false);
  assert.equal(jsonPatchChanges(object, [{ op: "replace", path: "/list/0", value: "p" }]), false);
  assert.equal(jsonPatchChanges(object, [{ op: "test", path: "/list", value: ["p"] }]), false);
  assert.equal(jsonPatchChanges(object, [{ op: "test", path: "/list", value: [] }]), true);
  assert.equal(jsonPatchChanges(object, [{ op: "add", path: "/list/0", value: "p" }]), true);
  assert.equal(jsonPatchChanges(object, [{ op: "add", path: "/list/-", value: "p" }]), true);
  assert.equal(jsonPatchChanges(object, [{ op: "add", path: "/b", value: 1 }]), true);
  assert.equal(jsonPatchChanges(object, [{ op: "add", path: "/a/toString", value: 1 }]), true);
  assert.equal(jsonPatchChanges(object, [{ op: "remove", path: "/nothing" }]), true);
  assert.equal(jsonPatchChanges(object, [{ op: "replace", path: "list", value: ["p"] }]), true);
});

test("sameObject ignores who owns the fields, and nothing else", () => {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", uid: "u", resourceVersion: "1" },
    data: { x: "1" },
  };
  const owned = { ...object, metadata: { ...object.metadata, managedFields: [{ manager: "m" }] } };
  assert.equal(sameObject(object, owned), true);
  assert.equal(sameObject(object, { ...object, metadata: { ...object.metadata, resourceVersion: "2" } }), false);
});
