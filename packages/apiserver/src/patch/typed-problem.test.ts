import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServedSchema } from "../schema/served-schema.ts";
import { fieldTypeOf } from "./field-type.ts";
import { typedProblems, typedProblemsText } from "./typed-problem.ts";

const item: ServedSchema = { type: "object", properties: { name: { type: "string" }, on: { type: "boolean" } } };
const type = fieldTypeOf({
  type: "object",
  properties: {
    items: { type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
    texts: { type: "array", items: { type: "string" } },
  },
});

test("typedProblems tells of each, in order, with the path of its item", () => {
  const value = { texts: [1, "a", true], items: [{ name: "a", on: "x" }, { name: "a" }, {}] };
  assert.equal(
    typedProblemsText(typedProblems(value, type, { duplicates: false })),
    [
      "errors:",
      "  .texts[0]: expected string, got &value.valueUnstructured{Value:1}",
      "  .texts[2]: expected string, got &value.valueUnstructured{Value:true}",
      '  .items[name="a"].on: expected boolean, got &{x}',
      '  .items: duplicate entries for key [name="a"]',
      '  .items: element 2: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ].join("\n"),
  );
});

test("typedProblems looks no further at a map with a field that its type does not have", () => {
  const problems = typedProblems({ texts: [1], no: 1, items: 1 }, type, { duplicates: true });
  assert.deepEqual(
    problems.map(({ path }) => path),
    [".texts[0]", ".no"],
  );
});
