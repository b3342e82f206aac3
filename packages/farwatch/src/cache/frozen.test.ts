import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { freezeAll, frozen } from "./frozen.ts";

function isFrozenThrough(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenThrough);
}

test("frozen object is frozen to the bottom, and equal to what it was", () => {
  fc.assert(
    fc.property(fc.object(), (object) => {
      const copy = structuredClone(object);
      assert.equal(frozen(object), object);
      assert.ok(isFrozenThrough(object));
      assert.deepEqual(object, copy);
    }),
  );
});

test("frozen object may be nested deeper than the stack", () => {
  let object: { inner?: object } = {};
  const inmost = object;
  for (let i = 0; i < 200_000; i += 1) object = { inner: object };
  frozen(object);
  assert.ok(Object.isFrozen(inmost));
});

test("frozen root does not keep freezeAll from what is in it", () => {
  const object = Object.freeze({ inner: { value: 1 } });
  assert.ok(Object.isFrozen(freezeAll(object).inner));
});
