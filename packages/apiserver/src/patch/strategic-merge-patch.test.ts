import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readsOfNames } from "../schema/counted-item.fixture.ts";
import type { ServedSchema } from "../schema/served-schema.ts";
import { obeyDirectives } from "./strategic-list.ts";
import { mergeStrategically } from "./strategic-merge-patch.ts";

const text: ServedSchema = { type: "string" };
const merged = { type: "array", "x-kubernetes-patch-strategy": "merge" } as const;
const schema: ServedSchema = {
  type: "object",
  properties: {
    items: {
      ...merged,
      "x-kubernetes-patch-merge-key": "name",
      items: { type: "object", properties: { name: text, a: text, b: text } },
    },
    texts: { ...merged, items: text },
    fields: { type: "object", additionalProperties: text },
  },
};

const name = fc.integer({ min: 0, max: 12 }).map(String);
const item = (field: string): fc.Arbitrary<{ name: string }> =>
  fc.tuple(name, fc.string({ maxLength: 2 })).map(([one, value]) => ({ name: one, [field]: value }));
const items = (field: string): fc.Arbitrary<{ name: string }[]> =>
  fc.uniqueArray(item(field), { selector: (one) => one.name });

test("mergeStrategically merges, adds and deletes items by their key", () => {
  fc.assert(
    fc.property(items("a"), items("b"), fc.uniqueArray(name), (live, patch, deleted) => {
      const gone = new Set(deleted);
      const changed = patch.filter((one) => !gone.has(one.name));
      const directives = deleted.map((one) => ({ $patch: "delete", name: one }));
      const { value } = mergeStrategically({ items: live }, { items: [...changed, ...directives] }, schema);
      const expected = new Map<string, object>();
      for (const one of [...live, ...changed]) {
        if (!gone.has(one.name)) expected.set(one.name, { ...expected.get(one.name), ...one });
      }
      const found = value.items as { readonly name: string }[];
      assert.equal(found.length, expected.size);
      for (const one of found) assert.deepEqual({ ...one }, expected.get(one.name));
    }),
  );
});

test("mergeStrategically takes from a list of texts what is to be deleted, and keeps the fields that are retained", () => {
  fc.assert(
    fc.property(fc.uniqueArray(name), fc.uniqueArray(name), (live, chosen) => {
      const deletion = { "$deleteFromPrimitiveList/texts": chosen };
      const { texts } = mergeStrategically({ texts: live }, deletion, schema).value;
      assert.deepEqual(
        texts,
        live.filter((one) => !chosen.includes(one)),
      );
      const fields = Object.fromEntries(live.map((one) => [one, one]));
      const kept = mergeStrategically({ fields }, { fields: { $retainKeys: chosen } }, schema).value.fields;
      assert.deepEqual(Object.keys(kept as object).sort(), live.filter((one) => chosen.includes(one)).sort());
    }),
  );
});

test("obeyDirectives reads the key of each item as often, however many items are deleted", () => {
  const readsOf = (size: number): number =>
    readsOfNames(size, (live, names) => {
      const deletions = names.map((one) => ({ $patch: "delete", name: one }));
      assert.deepEqual(obeyDirectives(live, deletions, "name").live, []);
    });
  assert.equal(readsOf(1_000), 10 * readsOf(100));
});
