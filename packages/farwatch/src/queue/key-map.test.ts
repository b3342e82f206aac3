import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatKey, type ObjectKey } from "../wire/object.ts";
import { createKeyMap } from "./key-map.ts";

test("key map behaves like a map by the text of the key, whatever is set, read and deleted", () => {
  const key = fc.record(
    { namespace: fc.constantFrom("", "a", "__proto__", undefined), name: fc.constantFrom("b", "c", "constructor") },
    { requiredKeys: ["name"] },
  );
  const step = fc.record({ type: fc.constantFrom("set", "delete"), key });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const map = createKeyMap<number>();
      const model = new Map<string, number>();
      const keys: ObjectKey[] = [];
      for (const [number, each] of steps.entries()) {
        keys.push(each.key);
        if (each.type === "set") {
          map.set(each.key, number);
          model.set(formatKey(each.key), number);
        } else {
          map.delete(each.key);
          model.delete(formatKey(each.key));
        }
      }
      for (const one of keys) assert.equal(map.get(one), model.get(formatKey(one)));
      assert.deepEqual(new Set(map.values()), new Set(model.values()));
    }),
  );
});
