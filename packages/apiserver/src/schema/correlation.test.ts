import assert from "node:assert/strict";
import { test } from "node:test";
import { correlatedItem, isUnchanged } from "./correlation.ts";
import { readsOfNames } from "./counted-item.fixture.ts";
import type { ServedSchema } from "./served-schema.ts";

const item: ServedSchema = { type: "object", properties: { name: { type: "string" }, value: { type: "integer" } } };
const list: ServedSchema = {
  type: "array",
  items: item,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
};
const named = (name: string, value: number): object => ({ name, value });

test("correlatedItem finds what an item was by its keys, wherever it stood, and of two with the same keys the first", () => {
  const value = [named("b", 9), named("c", 9), { value: 9 }];
  const old = [named("a", 1), named("b", 2), named("b", 3), { value: 4 }];
  const found = value.map((_, index) => correlatedItem({ schema: list, value, old }, index)?.old);
  assert.deepEqual(found, [named("b", 2), undefined, undefined]);
});

test("correlatedItem reads a list anew for a schema with other keys", () => {
  const old = [named("a", 1), named("b", 2)];
  const value = [named("b", 1)];
  const byValue = { ...list, "x-kubernetes-list-map-keys": ["value"] };
  assert.deepEqual(correlatedItem({ schema: list, value, old }, 0)?.old, named("b", 2));
  assert.deepEqual(correlatedItem({ schema: byValue, value, old }, 0)?.old, named("a", 1));
});

test("isUnchanged reads the keys of each old item as often, however many items there are", () => {
  const readsOf = (size: number): number =>
    readsOfNames(size, (old, names) => {
      const value = names.map((name) => ({ name })).reverse();
      assert.ok(isUnchanged({ schema: list, value, old }));
    });
  assert.equal(readsOf(1_000), 10 * readsOf(100));
});
