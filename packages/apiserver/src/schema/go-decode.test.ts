import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeGo, dropEmptyLists } from "./go-decode.ts";
import type { ServedSchema } from "./served-schema.ts";

const inner: ServedSchema = {
  type: "object",
  "x-go-type": "core.v1.Inner",
  properties: {
    name: { type: "string", "x-go-omit": "never" },
    count: { type: "integer", format: "int32" },
    pointer: { type: "integer", format: "int32", "x-go-pointer": true },
  },
};
const outer: ServedSchema = {
  type: "object",
  "x-go-type": "core.v1.Outer",
  properties: {
    kind: { type: "string" },
    spec: inner,
    maybe: { ...inner, "x-go-pointer": true },
    zeroed: { ...inner, "x-go-omit": "zero" },
    list: { type: "array", items: inner },
    always: { type: "array", items: { type: "string" }, "x-go-omit": "never" },
    labels: { type: "object", additionalProperties: { type: "string" } },
    data: { type: "object", additionalProperties: { type: "string", format: "byte" } },
    at: { type: "string", format: "date-time" },
    micro: { type: "string", format: "micro-time", "x-go-pointer": true },
    amount: { type: "string", format: "quantity", "x-go-pointer": true },
    port: { "x-kubernetes-int-or-string": true, "x-go-pointer": true },
    raw: { type: "object", format: "raw-extension", "x-go-pointer": true },
    flag: { type: "boolean" },
  },
};

function decoded(value: unknown): unknown {
  return decodeGo(outer, value).value;
}

test("decodeGo writes what Go always writes, and leaves out what it omits", () => {
  assert.deepEqual(decoded({}), { spec: { name: "" }, always: null, at: null });
  const zeros = { kind: "", spec: { count: 0, pointer: 0 }, list: [], always: [], labels: {}, flag: false, maybe: {} };
  assert.deepEqual(decoded(zeros), { spec: { name: "", pointer: 0 }, maybe: { name: "" }, always: [], at: null });
});

test("dropEmptyLists makes an empty list that is always written null, as it is stored", () => {
  const object = decoded({ always: [], list: [{ name: "n" }] });
  dropEmptyLists(outer, object);
  assert.deepEqual(object, { spec: { name: "" }, list: [{ name: "n" }], always: null, at: null });
  const full = decoded({ always: ["a"] });
  dropEmptyLists(outer, full);
  assert.deepEqual(full, { spec: { name: "" }, always: ["a"], at: null });
});

test("decodeGo gives fields in Go's order and keys of maps in theirs", () => {
  const object = decoded({ labels: { b: "2", a: "1" }, kind: "A", spec: { count: 1, name: "n" } });
  assert.equal(
    JSON.stringify(object),
    `{"kind":"A","spec":{"name":"n","count":1},"always":null,"labels":{"a":"1","b":"2"},"at":null}`,
  );
});

test("decodeGo drops nulls; as items and values they are zero", () => {
  const object = decoded({ kind: null, labels: { a: null }, list: [null, { name: "n" }], maybe: null });
  assert.deepEqual(object, {
    spec: { name: "" },
    list: [{ name: "" }, { name: "n" }],
    always: null,
    labels: { a: "" },
    at: null,
  });
});

test("decodeGo brings quantities and times into their canonical form", () => {
  const { amount, at, micro } = decoded({
    amount: "1000m",
    at: "2026-01-02T03:04:05.5+01:00",
    micro: "2026-01-02T03:04:05.123456Z",
  }) as Record<string, unknown>;
  assert.deepEqual([amount, at, micro], ["1", "2026-01-02T02:04:05Z", "2026-01-02T03:04:05.123456Z"]);
  assert.equal((decoded({ amount: 2 }) as { amount: string }).amount, "2");
});

test("decodeGo names unknown fields with the items they are in", () => {
  assert.deepEqual(decodeGo(outer, { zip: 1, list: [{}, { u: 1 }], labels: { any: "x" } }).unknown, [
    "zip",
    "list[1].u",
  ]);
});

test("decodeGo says what Go says of a value that does not fit", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [{ spec: "a" }, "json: cannot unmarshal string into Go struct field Outer.spec of type v1.Inner"],
    [{ spec: { count: "a" } }, "json: cannot unmarshal string into Go struct field Inner.spec.count of type int32"],
    [{ spec: { count: 1.5 } }, "json: cannot unmarshal number 1.5 into Go struct field Inner.spec.count of type int32"],
    [
      { spec: { count: 2 ** 31 } },
      "json: cannot unmarshal number 2147483648 into Go struct field Inner.spec.count of type int32",
    ],
    [{ list: [{ name: true }] }, "json: cannot unmarshal bool into Go struct field Inner.list.name of type string"],
    [{ list: {} }, "json: cannot unmarshal object into Go struct field Outer.list of type []v1.Inner"],
    [{ labels: { a: 1 } }, "json: cannot unmarshal number into Go struct field Outer.labels of type string"],
    [{ labels: [] }, "json: cannot unmarshal array into Go struct field Outer.labels of type map[string]string"],
    [{ at: 1 }, "json: cannot unmarshal number into Go struct field Outer.at of type string"],
    [{ port: true }, "json: cannot unmarshal bool into Go struct field Outer.port of type int32"],
    [{ data: { a: "?" } }, "illegal base64 data at input byte 0"],
    [{ amount: "x" }, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ];
  for (const [value, message] of cases) assert.throws(() => decodeGo(outer, value), { message });
});

test("decodeGo lets raw extensions be", () => {
  const raw = { a: null, b: { c: [] } };
  assert.deepEqual((decoded({ raw }) as { raw: unknown }).raw, raw);
});
