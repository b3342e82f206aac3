import assert from "node:assert/strict";
import { test } from "node:test";
import { pruneFields } from "./prune.ts";
import type { ServedSchema } from "./served-schema.ts";

const text: ServedSchema = { type: "string" };
const schema: ServedSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: text,
        list: { type: "array", items: { type: "object", properties: { k: text } } },
        open: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { inner: { type: "object" } },
        },
      },
    },
  },
};

test("pruneFields drops what the schema does not name, and tells it sorted", () => {
  const object = {
    apiVersion: "a/v1",
    kind: "A",
    metadata: { x: 1 },
    spec: { z: 1, a: "a", list: [{ k: "k", u: 1 }] },
    b: 1,
  };
  const { object: pruned, unknown } = pruneFields(schema, object);
  assert.deepEqual(pruned, { apiVersion: "a/v1", kind: "A", metadata: { x: 1 }, spec: { a: "a", list: [{ k: "k" }] } });
  assert.deepEqual(unknown, ["b", "spec.list[0].u", "spec.z"]);
});

test("pruneFields keeps unknown fields where the schema says so, but not below fields that it names", () => {
  const { object, unknown } = pruneFields(schema, { spec: { open: { free: { deep: 1 }, inner: { u: 1 } } } });
  assert.deepEqual(object, { spec: { open: { free: { deep: 1 }, inner: {} } } });
  assert.deepEqual(unknown, ["spec.open.inner.u"]);
});

test("pruneFields leaves the object alone that it is given", () => {
  const object = { spec: { z: { deep: [1] }, open: { free: [1] } } };
  const before = structuredClone(object);
  const pruned = pruneFields(schema, object).object;
  assert.deepEqual(object, before);
  pruned.spec.open.free.push(2);
  assert.deepEqual(object, before);
});

test("pruneFields takes __proto__ for a field like any other", () => {
  const body = JSON.parse(`{"spec":{"__proto__":{"polluted":1},"open":{"__proto__":{"kept":1}}}}`);
  const { object, unknown } = pruneFields(schema, body);
  assert.deepEqual(unknown, ["spec.__proto__"]);
  assert.equal(JSON.stringify(object), `{"spec":{"open":{"__proto__":{"kept":1}}}}`);
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});
