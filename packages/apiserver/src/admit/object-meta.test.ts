import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { FieldError } from "../failure/field-error.ts";
import { dnsSubdomain } from "./name-rule.ts";
import {
  finalizerWarnings,
  type Meta,
  validateFinalizersOfBuiltIn,
  validateMeta,
  validateMetaUpdate,
} from "./object-meta.ts";

const rules = { namespaced: true, nameRule: dnsSubdomain } as const;
const good: Meta = { name: "a", namespace: "n", uid: "u", resourceVersion: "1" };

function fields(errors: readonly FieldError[]): readonly string[] {
  return errors.map(({ type, field }) => `${field} ${type}`);
}

test("validateMeta takes a plain object and one with everything", () => {
  assert.deepEqual(validateMeta(good, rules), []);
  const full: Meta = {
    ...good,
    generateName: "a-",
    labels: { "example.com/a": "b", c: "" },
    annotations: { "Example.COM/A": "anything\n" },
    finalizers: ["example.com/f"],
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true }],
    managedFields: [{ manager: "m", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} }],
  };
  assert.deepEqual(validateMeta(full, rules), []);
});

test("validateMeta tells a namespace that is missing from one that is not allowed", () => {
  assert.deepEqual(fields(validateMeta({ name: "a" }, rules)), ["metadata.namespace Required"]);
  assert.deepEqual(fields(validateMeta(good, { ...rules, namespaced: false })), ["metadata.namespace Forbidden"]);
});

// B20
test("validateMeta counts annotations in bytes of keys and values", () => {
  const annotated = (size: number): Meta => ({ ...good, annotations: { é: "x".repeat(size - 2) } });
  const byName = (meta: Meta): readonly string[] => fields(validateMeta(meta, rules));
  const limit = 256 * 1024;
  assert.ok(!byName(annotated(limit)).includes("metadata.annotations TooLong"));
  assert.ok(byName(annotated(limit + 1)).includes("metadata.annotations TooLong"));
});

test("validateMeta lets one owner control", () => {
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true };
  const errors = validateMeta({ ...good, ownerReferences: [owner, { ...owner, uid: "v" }] }, rules);
  assert.deepEqual(fields(errors), ["metadata.ownerReferences Invalid"]);
});

// B55
test("validateMetaUpdate takes no new finalizers while an object is being deleted, but lets them go", () => {
  const old: Meta = { ...good, deletionTimestamp: "2030-01-01T00:00:00Z", finalizers: ["a/b", "a/c"] };
  const now = (finalizers: string[]): Meta => ({ ...old, finalizers });
  for (const kept of [[], ["a/c"], ["a/c", "a/b"]]) assert.deepEqual(validateMetaUpdate(now(kept), old), []);
  const [error] = validateMetaUpdate(now(["a/z", "a/b", "a/d", "a/z"]), old);
  assert.equal(error?.type, "Forbidden");
  assert.match(error?.detail ?? "", /found new finalizers \[\]string\{"a\/d", "a\/z"\}$/);
  const { deletionTimestamp: _, ...living } = old;
  assert.deepEqual(validateMetaUpdate({ ...living, finalizers: ["a/d"] }, living), []);
});

test("validateMetaUpdate lets nothing of an object's identity change", () => {
  const now: Meta = { ...good, name: "b", namespace: "o", uid: "v", creationTimestamp: "2030-01-01T00:00:00Z" };
  assert.deepEqual(fields(validateMetaUpdate(now, good)), [
    "metadata.name Invalid",
    "metadata.namespace Invalid",
    "metadata.uid Invalid",
    "metadata.creationTimestamp Invalid",
  ]);
});

test("validateMetaUpdate wants a version, and no generation that goes back", () => {
  const { resourceVersion: _, ...rest } = good;
  assert.deepEqual(fields(validateMetaUpdate({ ...rest, generation: 1 }, { ...good, generation: 2 })), [
    "metadata.resourceVersion Invalid",
    "metadata.generation Invalid",
  ]);
});

test("A finalizer without a domain is an error of built-in kinds and a warning of custom ones", () => {
  assert.equal(validateFinalizersOfBuiltIn({ finalizers: ["foo", "orphan", "a/b"] }).length, 1);
  assert.equal(finalizerWarnings({ finalizers: ["foo", "a/b"] }).length, 1);
  assert.deepEqual(finalizerWarnings({ finalizers: ["foo"] }, { finalizers: ["foo"] }), []);
});

test("Names that stand on Object.prototype are labels like any other", () => {
  const labels = JSON.parse('{"__proto__": "a b", "constructor": "ok", "toString": "ok"}');
  assert.deepEqual(fields(validateMeta({ ...good, labels }, rules)), [
    "metadata.labels Invalid",
    "metadata.labels Invalid",
  ]);
});

test("Whatever keeps to the rules once keeps to them as an update of itself", () => {
  const word = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
  const meta = fc.record({
    name: word,
    namespace: word,
    uid: fc.uuid(),
    resourceVersion: fc.nat().map(String),
    generation: fc.nat(),
    labels: fc.dictionary(word, word),
    annotations: fc.dictionary(word, fc.string()),
    finalizers: fc.array(word.map((name) => `example.com/${name}`)),
  });
  fc.assert(
    fc.property(meta, (one) => {
      assert.deepEqual(validateMeta(one, rules), []);
      assert.deepEqual(validateMetaUpdate(one, one), []);
    }),
  );
});
