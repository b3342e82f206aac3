import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "farwatch";
import fc from "fast-check";
import type { DraftObject } from "../registry/api-object.ts";
import type { KindVersion } from "../registry/kind.ts";
import { type FieldSet, hasPath, pathsOf } from "./field-set.ts";
import {
  apply,
  kindVersion,
  later,
  noon,
  owner,
  owners,
  specs,
  thing,
  thingKind,
  type thingSchema,
  written,
} from "./patch-kind.fixture.ts";

test("recordUpdate gives a creator all that it sets, in the order of FieldsV1", async () => {
  const created = await written(
    owner("a"),
    undefined,
    thing({ text: "x", set: ["b", "a"], ports: [{ port: 80 }], list: [{ x: 1 }] }),
  );
  assert.equal(
    JSON.stringify(created.metadata.managedFields),
    JSON.stringify([
      {
        manager: "a",
        operation: "Update",
        apiVersion: "example.dev/v1",
        time: noon,
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:spec": {
            ".": {},
            "f:list": {},
            "f:ports": { ".": {}, 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } },
            "f:set": { ".": {}, 'v:"a"': {}, 'v:"b"': {} },
            "f:text": {},
          },
        },
      },
    ]),
  );
});

test("recordUpdate takes what changes, and keeps time and owner of what does not", async () => {
  const created = await written(owner("a"), undefined, thing({ text: "x", size: 1 }));
  const same = await written(owner("b", { now: later }), created, thing({ text: "x", size: 1 }));
  assert.deepEqual(same.metadata.managedFields, created.metadata.managedFields);
  const changed = await written(owner("b", { now: later }), created, thing({ text: "y", size: 1 }));
  assert.deepEqual(owners(changed), {
    "a Update v1": { "f:spec": { ".": {}, "f:size": {} } },
    "b Update v1": { "f:spec": { "f:text": {} } },
  });
  assert.deepEqual(
    changed.metadata.managedFields?.map(({ time }) => time),
    [noon, later],
  );
});

test("recordUpdate owns no status through the object and nothing but status through /status", async () => {
  const created = await written(owner("a"), undefined, thing({ size: 1 }, { status: { phase: "x" } }));
  assert.deepEqual(owners(created), { "a Update v1": { "f:spec": { ".": {}, "f:size": {} } } });
  const updated = await written(
    owner("a", { subresource: "status" }),
    created,
    thing({ size: 2 }, { status: { phase: "y" } }),
  );
  assert.deepEqual(owners(updated), {
    "a Update v1": { "f:spec": { ".": {}, "f:size": {} } },
    "a Update v1 status": { "f:status": { "f:phase": {} } },
  });
});

test("recordUpdate clears owners for [] and [{}], and follows nobody until the next apply", async () => {
  const created = await written(owner("a"), undefined, thing({ size: 1 }));
  for (const managedFields of [[], [{}]]) {
    const cleared = await written(owner("b"), created, {
      ...thing({ size: 1 }),
      metadata: { name: "a", managedFields },
    });
    assert.equal(cleared.metadata.managedFields, undefined);
    const updated = await written(owner("b"), cleared, thing({ size: 2 }));
    assert.equal(Object.hasOwn(updated.metadata, "managedFields"), false);
    const applied = await apply(owner("c"), updated, { text: "x" });
    assert.deepEqual(Object.keys(owners(applied)), ["c Apply v1", "before-first-apply Update v1"]);
  }
});

test("recordUpdate takes sent owners, and stored ones where those are nonsense", async () => {
  const created = await written(owner("a"), undefined, thing({ size: 1 }));
  const [entry] = created.metadata.managedFields ?? [];
  const send = async (managedFields: unknown): Promise<readonly string[]> => {
    const after = thing({ size: 1 });
    after.metadata.managedFields = managedFields as NonNullable<typeof after.metadata.managedFields>;
    return Object.keys(owners(await written(owner("b"), created, after)));
  };
  assert.deepEqual(await send([{ ...entry, manager: "other" }]), ["other Update v1"]);
  for (const nonsense of [
    [{ ...entry, operation: "Create" }],
    [{ ...entry, fieldsType: "" }],
    [5],
    "text",
    [{ ...entry, fieldsV1: { x: {} } }],
  ]) {
    assert.deepEqual(await send(nonsense), ["a Update v1"]);
  }
});

test("recordUpdate leaves an object that does not fit its schema without owners", async () => {
  const created = await written(owner("a"), undefined, thing({ size: 1 }));
  const broken = await written(owner("b"), created, thing({ size: "big" }));
  assert.equal(broken.metadata.managedFields, undefined);
});

test("recordUpdate merges the oldest of more than ten updaters", async () => {
  let object = await written(owner("m00"), undefined, thing({ labels: { k00: "v" } }));
  for (let index = 1; index < 13; index += 1) {
    const name = String(index).padStart(2, "0");
    const labels = { ...(object.spec as { readonly labels: object }).labels, [`k${name}`]: "v" };
    object = await written(owner(`m${name}`, { now: `2026-01-01T12:00:${name}Z` }), object, thing({ labels }));
  }
  assert.equal(object.metadata.managedFields?.length, 10);
  assert.deepEqual(owners(object)["ancient-changes Update v1"], {
    "f:spec": { ".": {}, "f:labels": { ".": {}, "f:k00": {}, "f:k01": {}, "f:k02": {}, "f:k03": {} } },
  });
});

test("recordUpdate asks in each version in which somebody owns", async () => {
  const two = thingKind([
    kindVersion("v1"),
    kindVersion("v2", {
      type: "object",
      properties: { spec: { type: "object", properties: { name: { type: "string" } } } },
    }),
  ]);
  const [v1, v2] = two.versions as [KindVersion, KindVersion];
  const asked: string[] = [];
  // v2 calls the text a name.
  const convert = async (object: JsonObject, to: KindVersion): Promise<JsonObject> => {
    asked.push(to.version);
    const spec = object.spec as { readonly text?: string; readonly name?: string };
    const value = spec.text ?? spec.name;
    const renamed = value === undefined ? {} : to === v1 ? { text: value } : { name: value };
    return { ...object, apiVersion: `example.dev/${to.version}`, spec: renamed };
  };
  const created = await written(owner("a", { kind: two, version: v1, convert }), undefined, thing({ text: "x" }));
  assert.deepEqual(asked, []);
  const before = { ...(await convert(created, v2)), metadata: created.metadata } as DraftObject;
  const updated = await written(
    owner("b", { kind: two, version: v2, convert }),
    before,
    thing({ name: "y" }, {}, "v2"),
  );
  assert.deepEqual(owners(updated), {
    "a Update v1": { "f:spec": {} },
    "b Update v2": { "f:spec": { "f:name": {} } },
  });
});

test("recordUpdate drops owners of versions that are gone, and gives parts of what has become a whole", async () => {
  const granular: typeof thingSchema = {
    type: "object",
    properties: {
      spec: { type: "object", properties: { m: { type: "object", additionalProperties: { type: "string" } } } },
    },
  };
  const atomic: typeof thingSchema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          m: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: { type: "string" } },
        },
      },
    },
  };
  const old = thingKind([kindVersion("v0", granular), kindVersion("v1", granular)]);
  const now = thingKind([kindVersion("v1", atomic)]);
  let object = await written(
    owner("gone", { kind: old, version: old.versions[0] as KindVersion }),
    undefined,
    thing({ m: { a: "1" } }, {}, "v0"),
  );
  object = await written(
    owner("kept", { kind: old, version: old.versions[1] as KindVersion }),
    { ...object, apiVersion: "example.dev/v1" },
    thing({ m: { a: "1", b: "1" } }),
  );
  object = await written(
    owner("new", { kind: now, version: now.versions[0] as KindVersion }),
    object,
    thing({ m: { a: "1", b: "1" } }, { metadata: { name: "a", labels: { l: "1" } } }),
  );
  assert.deepEqual(owners(object), {
    "kept Update v1": { "f:spec": { "f:m": {} } },
    "new Update v1": { "f:metadata": { "f:labels": { ".": {}, "f:l": {} } } },
  });
});

test("an update loses nobody's field that it has not touched, and takes what it has", async () => {
  await fc.assert(
    fc.asyncProperty(specs, specs, async (first, second) => {
      const before = await written(owner("a"), undefined, thing(first));
      const after = await written(owner("b"), before, thing(second));
      const alone = owners(await written(owner("b"), undefined, thing(second)))["b Update v1"] as FieldSet | undefined;
      const mine = (owners(after)["a Update v1"] ?? {}) as FieldSet;
      const theirs = (owners(after)["b Update v1"] ?? {}) as FieldSet;
      // Every field of the new object is owned by one of the two, and by one alone.
      for (const path of pathsOf(alone ?? {}))
        assert.equal(Number(hasPath(mine, path)) + Number(hasPath(theirs, path)), 1, path.join(" "));
      // Nobody owns what is not there.
      for (const path of [...pathsOf(mine), ...pathsOf(theirs)]) assert.ok(hasPath(alone ?? {}, path), path.join(" "));
    }),
  );
});
