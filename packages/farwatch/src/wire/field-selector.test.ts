import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type FieldRequirement, formatFieldSelector, matchesFields, parseFieldSelector } from "./field-selector.ts";

test("parseFieldSelector reads equalities, with escapes in values", () => {
  assert.deepEqual(parseFieldSelector(""), []);
  assert.deepEqual(parseFieldSelector("metadata.name=a,spec.x!=b,spec.y==c\\,d\\=e\\\\"), [
    { field: "metadata.name", isEqual: true, value: "a" },
    { field: "spec.x", isEqual: false, value: "b" },
    { field: "spec.y", isEqual: true, value: "c,d=e\\" },
  ]);
});

test("parseFieldSelector refuses what is no requirement, and names it", () => {
  for (const part of ["metadata.name", "=a", "a>b", "a=b=c"]) {
    assert.throws(() => parseFieldSelector(`x=y,${part}`), {
      code: "InvalidSelector",
      message: `Cannot read field selector ${JSON.stringify(`x=y,${part}`)}: ${JSON.stringify(part)} is no requirement, write "metadata.name=a" or "metadata.name!=a"`,
    });
  }
});

const requirement: fc.Arbitrary<FieldRequirement> = fc.record(
  {
    field: fc.constantFrom("metadata.name", "metadata.namespace", "spec.region"),
    isEqual: fc.boolean(),
    value: fc.string(),
  },
  { noNullPrototype: true },
);

test("formatFieldSelector is read again as the same requirements", () => {
  fc.assert(
    fc.property(fc.array(requirement), (requirements) => {
      assert.deepEqual(parseFieldSelector(formatFieldSelector(requirements)), requirements);
    }),
  );
});

test("matchesFields reads fields by their path, and takes an absent one for the empty text", () => {
  const object = { metadata: { name: "a" }, spec: { region: "eu", on: true, n: 3 } };
  const matches = (selector: string): boolean => matchesFields(parseFieldSelector(selector), object);
  assert.equal(matches("metadata.name=a,spec.region=eu,spec.on=true,spec.n=3"), true);
  assert.equal(matches("metadata.name=a,spec.region!=eu"), false);
  assert.equal(matches("metadata.namespace="), true);
  assert.equal(matches("spec.toString="), true);
  assert.equal(matches("metadata.name.length=1"), false);
});
