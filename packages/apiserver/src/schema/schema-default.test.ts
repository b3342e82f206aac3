import assert from "node:assert/strict";
import { test } from "node:test";
import { applyDefaults, dropNulls } from "./schema-default.ts";
import type { ServedSchema } from "./served-schema.ts";

const schema: ServedSchema = {
  type: "object",
  properties: {
    absent: { type: "object", properties: { a: { type: "string", default: "never" } } },
    given: { type: "object", default: {}, properties: { a: { type: "string", default: "always" } } },
    list: { type: "array", default: [1], items: { type: "integer", default: 7 } },
    nullable: { type: "string", nullable: true, default: "d" },
    strict: { type: "string", default: "d" },
    bare: { type: "string" },
  },
};

test("applyDefaults sets defaults from the outside in", () => {
  const object: Record<string, unknown> = {};
  applyDefaults(schema, object);
  assert.deepEqual(object, { given: { a: "always" }, list: [1], nullable: "d", strict: "d" });
});

test("applyDefaults sets what is null without being nullable, items too", () => {
  const object: Record<string, unknown> = { nullable: null, strict: null, list: [null, 2], given: { a: "x" } };
  applyDefaults(schema, object);
  assert.deepEqual(object, { nullable: null, strict: "d", list: [7, 2], given: { a: "x" } });
});

test("applyDefaults gives each object a copy of its own", () => {
  const [one, two] = [{}, {}] as [Record<string, number[]>, Record<string, number[]>];
  applyDefaults(schema, one);
  applyDefaults(schema, two);
  one.list?.push(2);
  assert.deepEqual(two.list, [1]);
});

test("dropNulls drops nulls that are neither nullable nor defaulted", () => {
  const object = { nullable: null, strict: null, bare: null, absent: { a: null }, unknown: null };
  dropNulls(schema, object);
  assert.deepEqual(object, { nullable: null, strict: null, absent: { a: null }, unknown: null });
});
