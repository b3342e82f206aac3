import assert from "node:assert/strict";
import { test } from "node:test";
import { fitIntegers } from "./fit-integer.ts";
import type { ServedSchema } from "./served-schema.ts";

const int32: ServedSchema = { type: "integer", format: "int32" };
const int64: ServedSchema = { type: "integer", format: "int64" };
const schema: ServedSchema = {
  type: "object",
  properties: {
    small: int32,
    large: int64,
    ratio: { type: "number", format: "double" },
    list: { type: "array", items: int32 },
    map: { type: "object", additionalProperties: int64 },
    inner: { type: "object", properties: { small: int32 } },
  },
};
const refuse = (why: string): Error => new TypeError(why);

test("fitIntegers cuts what is too large as Go's conversion does", () => {
  const value = { small: 3e9, large: 1e20, ratio: 1.5, list: [1, 5e9], map: { a: -1e20, b: 7 }, other: 1e20 };
  fitIntegers(schema, value, refuse);
  const least = -(2 ** 63);
  assert.deepEqual(value, {
    small: 3e9 - 2 ** 32,
    large: least,
    ratio: 1.5,
    list: [1, 5e9 - 2 ** 32],
    map: { a: least, b: 7 },
    other: 1e20,
  });
});

test("fitIntegers refuses a number that is not whole, wherever it stands", () => {
  const of32 = { name: "TypeError", message: "cannot convert float64 to int32" };
  assert.throws(() => fitIntegers(schema, { inner: { small: 1.5 } }, refuse), of32);
  assert.throws(() => fitIntegers(schema, { list: [1.5] }, refuse), of32);
  const of64 = { name: "TypeError", message: "cannot convert float64 to int64" };
  assert.throws(() => fitIntegers(schema, { map: { a: 0.1 } }, refuse), of64);
});

test("fitIntegers leaves alone what is of another shape than the schema", () => {
  const value = { small: "1", list: { a: 1 }, map: [1.5], inner: null };
  const before = structuredClone(value);
  fitIntegers(schema, value, refuse);
  assert.deepEqual(value, before);
});
