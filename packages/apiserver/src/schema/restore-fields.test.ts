import assert from "node:assert/strict";
import { test } from "node:test";
import { restoreFields } from "./restore-fields.ts";
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
    text: { type: "string" },
    named: { type: "string", "x-go-name": "v1.ServiceType" },
    flag: { type: "boolean" },
    bytes: { type: "string", format: "byte" },
    time: { type: "string", format: "date-time" },
    either: { "x-kubernetes-int-or-string": true },
  },
};

test("restoreFields cuts what is too large as Go's conversion does, and leaves nulls and unknown fields alone", () => {
  const value = {
    small: 3e9,
    large: 1e20,
    ratio: 1.5,
    list: [1, 5e9, null],
    map: { a: -1e20, b: 7 },
    bytes: [256, 1],
    text: null,
    other: 1e20,
  };
  restoreFields(schema, value);
  const least = -(2 ** 63);
  assert.deepEqual(value, {
    small: 3e9 - 2 ** 32,
    large: least,
    ratio: 1.5,
    list: [1, 5e9 - 2 ** 32, null],
    map: { a: least, b: 7 },
    bytes: [0, 1],
    text: null,
    other: 1e20,
  });
});

test("restoreFields tells what does not fit in the words of Go's converter", () => {
  const words: readonly (readonly [value: unknown, why: string])[] = [
    [{ inner: { small: 1.5 } }, "cannot convert float64 to int32"],
    [{ list: [1.5] }, "cannot convert float64 to int32"],
    [{ map: { a: 0.1 } }, "cannot convert float64 to int64"],
    [{ small: "1" }, "unrecognized type: int32"],
    [{ ratio: "1" }, "unrecognized type: float64"],
    [{ flag: 1 }, "unrecognized type: bool"],
    [{ text: 5 }, "cannot convert int64 to string"],
    [{ named: 5 }, "cannot convert int64 to v1.ServiceType"],
    [{ named: 1e20 }, "unrecognized type: string"],
    [{ text: 1.5 }, "unrecognized type: string"],
    [{ text: {} }, "unrecognized type: string"],
    [{ inner: 1.5 }, "cannot restore struct from: float64"],
    [{ inner: [] }, "cannot restore struct from: slice"],
    [{ map: 1e20 }, "cannot restore map from float64"],
    [{ map: true }, "cannot restore map from bool"],
    [{ list: { a: 1 } }, "cannot restore slice from map"],
    [{ list: 5 }, "cannot restore slice from int64"],
    [{ bytes: 1.5 }, "cannot restore slice from float64"],
    [{ bytes: ["a"] }, "unrecognized type: uint8"],
    [{ bytes: "%" }, "error decoding from json: illegal base64 data at input byte 0"],
    [{ time: 5 }, "json: cannot unmarshal number into Go value of type string"],
    [{ either: {} }, "json: cannot unmarshal object into Go value of type int32"],
    // The first in the order of the type.
    [{ flag: 1, small: "1" }, "unrecognized type: int32"],
  ];
  for (const [value, message] of words) {
    assert.throws(() => restoreFields(schema, value), { name: "GoDecodeError", message }, JSON.stringify(value));
  }
});
