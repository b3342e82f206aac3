import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { withoutManagedFields } from "./managed-fields.ts";

const fieldsOf = (manager: string) => [{ manager, fieldsV1: { 'k:{"type":"]}\\"}': { ".": {} } }, operation: "Apply" }];

test("watch event loses its managedFields wherever they stand in metadata", () => {
  const managedFields = fieldsOf("a");
  for (const metadata of [
    { managedFields, name: "a" },
    { annotations: { a: '"managedFields":[{' }, managedFields, name: "a" },
    { name: "a", managedFields },
    { managedFields },
  ]) {
    const line = JSON.stringify({ type: "ADDED", object: { kind: "Pod", apiVersion: "v1", metadata, spec: { a: 1 } } });
    const { managedFields: _, ...rest } = metadata;
    const expected = { type: "ADDED", object: { kind: "Pod", apiVersion: "v1", metadata: rest, spec: { a: 1 } } };
    assert.equal(withoutManagedFields(line), JSON.stringify(expected));
  }
});

test("watch event keeps what is called managedFields anywhere else", () => {
  for (const object of [
    { apiVersion: "v1", kind: "A", metadata: { name: "a", labels: { managedFields: "x" } }, managedFields: [1] },
    { apiVersion: "v1", kind: "A", metadata: { name: "a", nested: { managedFields: [1] } } },
    { apiVersion: "v1", kind: "A", data: { metadata: { managedFields: [1] } }, metadata: { name: "a" } },
    { apiVersion: "v1", kind: "A", metadata: { name: "a" }, spec: { metadata: { managedFields: [{}] } } },
  ]) {
    const line = JSON.stringify({ type: "ADDED", object });
    assert.equal(withoutManagedFields(line), line);
  }
});

test("watch event without managedFields is what the parsed one without them is", () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      fc.string({ unit: fc.constantFrom('"', "\\", "[", "]", "{", "}", ",", ":", "a", "é", "\n") }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("managedFields", "metadata", "a", '"b'), tie("any"), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    ),
  })).any;
  const metadata = fc
    .array(fc.tuple(fc.constantFrom("name", "managedFields", "labels", "uid", "x"), value))
    .map(Object.fromEntries);
  fc.assert(
    fc.property(metadata, value, fc.boolean(), (meta, spec, withKind) => {
      const head = withKind ? { apiVersion: "v1", kind: "A" } : {};
      const line = JSON.stringify({ type: "MODIFIED", object: { ...head, metadata: meta, spec } });
      const { managedFields, ...rest } = meta as Record<string, unknown>;
      const got: unknown = JSON.parse(withoutManagedFields(line));
      const event = (object: unknown) => ({ type: "MODIFIED", object: { ...head, metadata: object, spec } });
      // What is no list of managers is no managedFields of a server: it may go or stay.
      const stays = !Array.isArray(managedFields) && JSON.stringify(got) === line;
      assert.deepEqual(got, stays ? event(meta) : event(rest));
    }),
    { numRuns: 500 },
  );
});

test("watch event that is cut off comes back as it is", () => {
  const whole = JSON.stringify({
    type: "ADDED",
    object: { metadata: { a: [1], managedFields: fieldsOf("a"), name: "a" } },
  });
  for (let length = 0; length < whole.length; length += 1) {
    assert.throws(() => JSON.parse(withoutManagedFields(whole.slice(0, length))), `of length ${length}`);
  }
});
