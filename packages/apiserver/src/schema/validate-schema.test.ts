import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServedSchema } from "./served-schema.ts";
import { validateSchema } from "./validate-schema.ts";

function told(schema: ServedSchema, value: unknown, old?: unknown): readonly string[] {
  return validateSchema(schema, value, old === undefined ? {} : { old }).map(
    ({ type, field, detail }) => `${type} ${field} ${detail}`,
  );
}

const list: ServedSchema = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["k"],
  items: { type: "object", properties: { k: { type: "string" }, v: { type: "string", maxLength: 2 } } },
};
const spec: ServedSchema = { type: "object", properties: { list, a: { type: "string", maxLength: 2 } } };
const root: ServedSchema = { type: "object", properties: { spec } };

test("validateSchema tells the path and the value's type", () => {
  assert.deepEqual(told(root, { spec: { list: [{ k: "a", v: 1 }], a: true } }), [
    'TypeInvalid spec.list[0].v spec.list[0].v in body must be of type string: "integer"',
    'TypeInvalid spec.a spec.a in body must be of type string: "boolean"',
  ]);
});

test("validateSchema tolerates on an update what was wrong before, item by item of a list of type map", () => {
  const old = {
    spec: {
      a: "long",
      list: [
        { k: "x", v: "long" },
        { k: "y", v: "ok" },
      ],
    },
  };
  assert.deepEqual(
    told(
      root,
      {
        spec: {
          a: "long",
          list: [
            { k: "z", v: "z" },
            { k: "x", v: "long" },
          ],
        },
      },
      old,
    ),
    [],
  );
  assert.deepEqual(told(root, { spec: { a: "longer", list: [{ k: "x", v: "longer" }] } }, old), [
    "TooLong spec.list[0].v may not be more than 2 bytes",
    "TooLong spec.a may not be more than 2 bytes",
  ]);
});

test("validateSchema tolerates another list only as a whole", () => {
  const atomic: ServedSchema = {
    type: "object",
    properties: { l: { type: "array", items: { type: "string", maxLength: 1 } } },
  };
  assert.deepEqual(told(atomic, { l: ["ab"] }, { l: ["ab"] }), []);
  assert.deepEqual(told(atomic, { l: ["ab", "c"] }, { l: ["ab"] }), ["TooLong l[0] may not be more than 1 byte"]);
});

test("validateSchema names a part of an object by where it stands, and what is wrong by its own path", () => {
  const errors = validateSchema(spec, { a: 1 }, { at: "status" });
  assert.deepEqual(errors, [
    { type: "TypeInvalid", field: "status.a", value: "integer", detail: 'a in body must be of type string: "integer"' },
  ]);
});

test("validateSchema takes an integer for a number, and a whole number for an integer", () => {
  assert.deepEqual(told({ type: "number" }, 1), []);
  assert.deepEqual(told({ type: "integer" }, 2), []);
  assert.equal(told({ type: "integer" }, 1.5).length, 1);
});

test("validateSchema is in no hurry to fail over a hostile pattern", () => {
  assert.equal(told({ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(50_000)}b`).length, 1);
});
