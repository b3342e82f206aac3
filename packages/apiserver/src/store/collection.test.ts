import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createCollection, objectKey } from "./collection.ts";
import { createStore } from "./create-store.ts";
import { configMapDraft } from "./draft.fixture.ts";

const object = createStore().create("/configmaps", "n/a", configMapDraft("a"));

test("objectKey puts objects without a namespace first, and those of a namespace together", () => {
  const keys = [
    objectKey({ namespace: "b", name: "a" }),
    objectKey({ namespace: "a", name: "z" }),
    objectKey({ name: "z" }),
    objectKey({ namespace: "a", name: "a" }),
  ];
  assert.deepEqual(keys.sort(), ["/z", "a/a", "a/z", "b/a"]);
});

test("collection keeps its keys in the order of their texts, whatever is set and deleted", () => {
  const step = fc.record({ key: fc.string({ maxLength: 3 }), isSet: fc.boolean() }, { noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(step), fc.string({ maxLength: 3 }), (steps, from) => {
      const collection = createCollection();
      const model = new Set<string>();
      for (const { key, isSet } of steps) {
        if (isSet) {
          collection.set(key, object);
          model.add(key);
        } else {
          collection.delete(key);
          model.delete(key);
        }
      }
      assert.deepEqual([...collection.keysFrom("")], [...model].sort());
      assert.deepEqual(
        [...collection.keysFrom(from)],
        [...model].sort().filter((key) => key >= from),
      );
      assert.equal(collection.size, model.size);
    }),
  );
});

test("collection takes __proto__ for a key like any other", () => {
  const collection = createCollection();
  collection.set("__proto__", object);
  assert.deepEqual([...collection.keysFrom("")], ["__proto__"]);
  assert.equal(collection.get("__proto__"), object);
  assert.equal(collection.get("toString"), undefined);
});
