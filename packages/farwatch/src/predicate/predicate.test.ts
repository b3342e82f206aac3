import assert from "node:assert/strict";
import { test } from "node:test";
import { isCodedError } from "../error/coded-error.ts";
import type { SourceEvent } from "../event/source-event.ts";
import type { CustomObject } from "../resource/resource.ts";
import type { KubeObject, ObjectMeta } from "../wire/object.ts";
import { generationChanged } from "./generation-changed.ts";
import { labelsMatch } from "./labels-match.ts";
import { allOf, anyOf, not } from "./logic.ts";
import { annotationsChanged, labelsChanged } from "./metadata-changed.ts";
import { mustPass } from "./must-pass.ts";
import type { Predicate } from "./predicate.ts";
import { specChanged } from "./spec-changed.ts";

type Bucket = CustomObject<{ readonly size: number }, { readonly ready: boolean }>;

function bucket(metadata: Partial<ObjectMeta> = {}, content: Partial<Bucket> = {}): Bucket {
  return {
    apiVersion: "example.farwatch.dev/v1",
    kind: "Bucket",
    metadata: { name: "a", namespace: "ns", uid: "u", resourceVersion: "1", generation: 1, ...metadata },
    spec: { size: 1 },
    ...content,
  };
}

const create = (object: Bucket): SourceEvent<Bucket> => ({ type: "create", object, inInitialList: false });
const update = (oldObject: Bucket, object: Bucket): SourceEvent<Bucket> => ({ type: "update", oldObject, object });
const gone: SourceEvent<Bucket> = { type: "delete", object: bucket(), stateUnknown: false };
const generic: SourceEvent<Bucket> = { type: "generic", object: bucket() };
const noUpdates: readonly SourceEvent<Bucket>[] = [create(bucket()), gone, generic];
const deleting = { deletionTimestamp: "2030-01-01T00:00:00Z" };
const requested = (at: string) => ({ annotations: { "farwatch.dev/requested-at": at } });

test("must-pass events are a delete, a create and an update that show deletion first, a changed request and a changed pause", () => {
  assert.equal(mustPass(gone), true);
  assert.equal(mustPass(create(bucket(deleting))), true);
  assert.equal(mustPass(update(bucket(), bucket(deleting))), true);
  assert.equal(mustPass(update(bucket(), bucket(requested("1")))), true);
  assert.equal(mustPass(update(bucket(requested("1")), bucket(requested("2")))), true);

  assert.equal(mustPass(update(bucket({ annotations: { "farwatch.dev/paused": "true" } }), bucket())), true);

  assert.equal(mustPass(create(bucket())), false);
  assert.equal(mustPass(update(bucket(deleting), bucket({ ...deleting, generation: 2 }))), false);
  assert.equal(mustPass(update(bucket(requested("1")), bucket({ ...requested("1"), generation: 2 }))), false);
  assert.equal(mustPass(generic), false);
});

// Promise 1
test("must-pass is a create of an object for which a run was asked and, as far as it says, not had", () => {
  const handled = { annotations: { ...requested("1").annotations, "farwatch.dev/handled-at": "1" } };
  const noted = { status: { ready: true, lastHandledRequest: "1" } };
  assert.equal(mustPass(create(bucket(requested("1")))), true);
  assert.equal(mustPass(create(bucket(requested("2"), noted))), true);
  assert.equal(mustPass(create(bucket(requested("1"), noted))), false);
  assert.equal(mustPass(create(bucket(handled))), false);
});

test("must-pass can be asked about events that carry anything", () => {
  for (const object of [undefined, null, 7, "text", {}, { metadata: null }, { metadata: "text" }]) {
    assert.equal(mustPass({ type: "generic", object }), false);
    assert.equal(mustPass({ type: "create", object, inInitialList: false }), false);
    assert.equal(mustPass({ type: "update", oldObject: object, object }), false);
  }
});

test("generationChanged drops an update of the same generation, and passes every update of a kind without", () => {
  assert.equal(generationChanged(update(bucket(), bucket({ resourceVersion: "2" }))), false);
  assert.equal(generationChanged(update(bucket(), bucket({ generation: 2 }))), true);
  const { generation: _, ...metadata } = bucket().metadata;
  const configMap: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata };
  assert.equal(generationChanged({ type: "update", oldObject: configMap, object: configMap }), true);
  for (const event of noUpdates) assert.equal(generationChanged(event), true);
});

test("labelsChanged and annotationsChanged drop an update that left every entry as it was", () => {
  for (const [predicate, field] of [
    [labelsChanged, "labels"],
    [annotationsChanged, "annotations"],
  ] as const) {
    const withEntries = (entries?: Readonly<Record<string, string>>) =>
      bucket(entries === undefined ? {} : { [field]: entries });
    const passes = (before?: Readonly<Record<string, string>>, after?: Readonly<Record<string, string>>) =>
      predicate(update(withEntries(before), withEntries(after)));
    assert.equal(passes({ a: "1", b: "2" }, { b: "2", a: "1" }), false);
    assert.equal(passes(undefined, {}), false);
    assert.equal(passes({ a: "1" }, { a: "2" }), true);
    assert.equal(passes({ a: "1" }, { b: "1" }), true);
    assert.equal(passes({ a: "1" }, undefined), true);
    assert.equal(passes(undefined, { a: "1" }), true);
    for (const event of noUpdates) assert.equal(predicate(event), true);
  }
});

test("labelsMatch passes an object that has all the labels in its newest state", () => {
  const wanted = labelsMatch({ a: "1", b: "2" });
  assert.equal(wanted(create(bucket({ labels: { a: "1", b: "2", c: "3" } }))), true);
  assert.equal(wanted(create(bucket({ labels: { a: "1" } }))), false);
  assert.equal(wanted(create(bucket())), false);
  assert.equal(wanted(update(bucket(), bucket({ labels: { a: "1", b: "2" } }))), true);
  assert.equal(wanted(update(bucket({ labels: { a: "1", b: "2" } }), bucket())), false);
  assert.equal(labelsMatch({})(create(bucket())), true);
  const gold = labelsMatch("tier in (gold, silver), !legacy");
  assert.equal(gold(create(bucket({ labels: { tier: "gold" } }))), true);
  assert.equal(gold(create(bucket({ labels: { tier: "gold", legacy: "" } }))), false);
  assert.throws(
    () => labelsMatch("tier in ("),
    (error) => isCodedError(error, "InvalidSelector"),
  );
});

test("predicates combine with anyOf, allOf and not", () => {
  const yes: Predicate<unknown> = () => true;
  const no = not(yes);
  assert.deepEqual([anyOf(no, yes)(generic), anyOf(no, no)(generic), anyOf()(generic)], [true, false, false]);
  assert.deepEqual([allOf(yes, yes)(generic), allOf(yes, no)(generic), allOf()(generic)], [true, false, true]);
});

// Promise 10
test("specChanged drops an update in which nothing but status and bookkeeping changed", () => {
  const before = bucket({ annotations: { a: "1" } });
  const after = bucket(
    {
      resourceVersion: "2",
      managedFields: [{ manager: "us", operation: "Update" }],
      annotations: { a: "1", "farwatch.dev/handled-request": "x" },
    },
    { status: { ready: true } },
  );
  assert.equal(specChanged(update(before, after)), false);
  assert.equal(specChanged(update(after, before)), false, "nor when they are taken away");
  assert.equal(
    specChanged(update(bucket(), bucket({ annotations: { "farwatch.dev/handled-request": "x" } }))),
    false,
    "the first annotation is only bookkeeping",
  );
});

test("specChanged passes every other change, and what is no update", () => {
  const before = bucket();
  for (const after of [
    bucket({ generation: 2 }),
    bucket({}, { spec: { size: 2 } }),
    bucket({ labels: { a: "1" } }),
    bucket({ annotations: { a: "1" } }),
    bucket({ finalizers: ["x"] }),
    bucket({ ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "p" }] }),
    bucket(deleting),
    bucket(requested("1")),
  ]) {
    assert.equal(specChanged(update(before, after)), true);
  }
  const withData: Bucket & { readonly data: string } = { ...before, data: "1" };
  assert.equal(specChanged(update(before, withData)), true, "content beside spec counts");
  for (const event of noUpdates) assert.equal(specChanged(event), true);
});
