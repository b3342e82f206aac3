import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { loadAll, YAML11_SCHEMA } from "js-yaml";
import { toYaml } from "./to-yaml.ts";

test("toYaml writes documents that are read as the same JSON by YAML 1.2 and, as kubectl's, by YAML 1.1", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "yes",
      "No",
      "on",
      "off",
      "y",
      "~",
      "null",
      "0o7",
      "012",
      "1:30",
      "1_000",
      "2030-01-01",
      "1e3",
      ".5",
      "=",
      "<<",
      "- a",
      "a: b",
      "# c",
      "multi\nline\n",
      " ",
      "",
    ),
  );
  const json = fc.jsonValue({ stringUnit: "grapheme-ascii" });
  fc.assert(
    fc.property(fc.array(fc.dictionary(text, fc.oneof(text, json)), { minLength: 1, maxLength: 3 }), (objects) => {
      const yaml = toYaml(...objects);
      const sent = JSON.parse(JSON.stringify(objects));
      assert.deepEqual(JSON.parse(JSON.stringify(loadAll(yaml))), sent);
      assert.deepEqual(JSON.parse(JSON.stringify(loadAll(yaml, { schema: YAML11_SCHEMA }))), sent);
    }),
  );
});

test("toYaml leaves out what is undefined, and writes a value that stands twice twice", () => {
  const shared = { a: 1 };
  assert.equal(toYaml({ x: shared, y: shared, z: undefined }, { b: 2 }), "x:\n  a: 1\n'y':\n  a: 1\n---\nb: 2\n");
});
