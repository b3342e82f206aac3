import assert from "node:assert/strict";
import { test } from "node:test";
import { withDefaults } from "./structural-default.ts";

test("withDefaults sets defaults from the outside in, and only where a parent is", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "integer", default: 1 },
      absent: { type: "object", properties: { x: { type: "integer", default: 1 } } },
      given: { type: "object", default: {}, properties: { x: { type: "integer", default: 2 } } },
      list: { type: "array", items: { type: "object", properties: { x: { type: "integer", default: 3 } } } },
      map: {
        type: "object",
        additionalProperties: { type: "object", properties: { x: { type: "integer", default: 4 } } },
      },
    },
  } as const;
  const value = { list: [{}, { x: 9 }], map: { k: {} } };
  assert.deepEqual(withDefaults(schema, value), {
    a: 1,
    given: { x: 2 },
    list: [{ x: 3 }, { x: 9 }],
    map: { k: { x: 4 } },
  });
  assert.deepEqual(value, { list: [{}, { x: 9 }], map: { k: {} } });
});

test("withDefaults takes null for absent unless the field is nullable", () => {
  const schema = {
    properties: { a: { type: "string", default: "x" }, b: { type: "string", nullable: true, default: "x" } },
  } as const;
  assert.deepEqual(withDefaults(schema, { a: null, b: null }), { a: "x", b: null });
});
