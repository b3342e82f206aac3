import assert from "node:assert/strict";
import { test } from "node:test";
import { namesOf, valueAt } from "./field-path.ts";

test("namesOf reads a path with the dot that it may begin with, and without", () => {
  assert.deepEqual(
    [namesOf(".spec.replicas"), namesOf("spec.replicas")],
    [
      ["spec", "replicas"],
      ["spec", "replicas"],
    ],
  );
});

test("valueAt gives what stands in the fields of an object, and nothing of lists, texts or prototypes", () => {
  const object = { spec: { replicas: 3, empty: null, list: [1], text: "a" } };
  const found = (path: string): unknown => valueAt(object, namesOf(path));
  assert.deepEqual([found(".spec.replicas"), found(".spec.empty")], [3, null]);
  for (const path of [
    ".status.replicas",
    ".spec.list.0",
    ".spec.list.length",
    ".spec.text.length",
    ".spec.__proto__",
  ]) {
    assert.equal(found(path), undefined, path);
  }
});
