import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ApiError } from "../failure/api-error.ts";
import { applyConfiguration, keepTimesOfNoChange } from "./apply-configuration.ts";
import { apply, later, owner, owners, specs, thing, written } from "./patch-kind.fixture.ts";

async function refusal(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApiError, `${String(error)} is no refusal`);
  return error;
}

test("applyConfiguration creates, and does nothing the second time", async () => {
  const created = await apply(owner("a"), undefined, { text: "x" });
  assert.deepEqual(created.spec, { text: "x" });
  const again = await apply(owner("a", { now: later }), created, { text: "x" });
  assert.deepEqual(again, created);
});

test("applyConfiguration drops what its manager applied before, unless others own it", async () => {
  const created = await apply(owner("a"), undefined, { text: "x", size: 1, labels: { a: "1", b: "1" } });
  const shared = await apply(owner("b"), created, { size: 1 });
  const smaller = await apply(owner("a"), shared, { labels: { b: "1" } });
  assert.deepEqual(smaller.spec, { size: 1, labels: { b: "1" } });
});

test("applyConfiguration refuses to take one field, and names it", async () => {
  const created = await written(owner("a"), undefined, thing({ ports: [{ port: 80, name: "n" }] }));
  const error = await refusal(apply(owner("b"), created, { ports: [{ port: 80, name: "m" }] }));
  assert.deepEqual(error.toStatus(), {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message:
      'Apply failed with 1 conflict: conflict with "a" using example.dev/v1: .spec.ports[port=80,protocol="TCP"].name',
    reason: "Conflict",
    details: {
      causes: [
        {
          reason: "FieldManagerConflict",
          message: 'conflict with "a" using example.dev/v1',
          field: '.spec.ports[port=80,protocol="TCP"].name',
        },
      ],
    },
    code: 409,
  });
});

test("applyConfiguration lists many conflicts by manager, and takes all by force", async () => {
  const applied = await apply(owner("a"), undefined, { text: "x", size: 1 });
  const live = await written(owner("u", { subresource: "status" }), applied, {
    ...thing({ text: "x", size: 1 }, { status: { phase: "x" } }),
    metadata: { name: "a", labels: { l: "1" } },
  });
  const configuration = { ...thing({ text: "y", size: 2 }), metadata: { name: "a", labels: { l: "2" } } };
  const request = { ...owner("b"), live, applied: configuration };
  const { message } = await refusal(applyConfiguration({ ...request, force: false }));
  assert.equal(
    message,
    'Apply failed with 3 conflicts: conflicts with "a":\n- .spec.size\n- .spec.text\nconflicts with "u" with subresource "status" using example.dev/v1:\n- .metadata.labels.l',
  );
  const taken = await applyConfiguration({ ...request, force: true });
  assert.deepEqual(owners(taken)["b Apply v1"], {
    "f:metadata": { "f:labels": { "f:l": {} } },
    "f:spec": { "f:size": {}, "f:text": {} },
  });
  assert.equal(owners(taken)["a Apply v1"], undefined);
});

test("applyConfiguration lets kubectl take what client-side apply has set, and keeps its annotation in step", async () => {
  const last = { apiVersion: "example.dev/v1", kind: "Thing", metadata: { name: "a" }, spec: { text: "x" } };
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const annotations = { [annotation]: JSON.stringify(last) };
  const live = await written(owner("kubectl-client-side-apply"), undefined, {
    ...thing({ text: "x", size: 1 }),
    metadata: { name: "a", annotations },
  });
  await refusal(apply(owner("other"), live, { text: "y" }));
  const refused = await refusal(apply(owner("kubectl"), live, { text: "y", size: 2 }));
  assert.match(refused.message, /1 conflict: .*: \.spec\.size$/);
  const taken = await apply(owner("kubectl"), live, { text: "<y>" });
  assert.deepEqual(taken.spec, { text: "<y>", size: 1 });
  assert.equal(
    taken.metadata.annotations?.[annotation],
    '{"apiVersion":"example.dev/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"text":"\\u003cy\\u003e"}}\n',
  );
});

test("applyConfiguration refuses bodies that cannot be merged, in the words of the real server", async () => {
  const live = await apply(owner("a"), undefined, { size: 1 });
  const message = async (applied: unknown): Promise<string> => {
    const error = await refusal(applyConfiguration({ ...owner("b"), live, applied, force: true }));
    return `${error.code} ${error.message}`;
  };
  const typed = "500 failed to create typed patch object (/a; example.dev/v1, Kind=Thing): ";
  assert.equal(await message(thing({ set: ["x", "x"] })), `${typed}.spec.set: duplicate entries for key [="x"]`);
  assert.equal(
    await message(thing({ ports: [{ name: "n" }, { protocol: "TCP" }] })),
    `${typed}.spec.ports: duplicate entries for key [protocol="TCP"]`,
  );
  assert.equal(await message(thing({ fruit: 1 })), `${typed}.spec.fruit: field not declared in schema`);
  assert.equal(await message(thing({ size: "1" })), `${typed}.spec.size: expected numeric (int or float), got string`);
  assert.equal(
    await message(thing({ text: 1 })),
    `${typed}.spec.text: expected string, got &value.valueUnstructured{Value:1}`,
  );
  assert.equal(await message(thing({ labels: ["x"] })), `${typed}.spec.labels: expected map, got &{[x]}`);
  assert.equal(await message(thing({ set: { a: 1 } })), `${typed}.spec.set: expected list, got &{map[a:1]}`);
  assert.match(await message(thing({ text: 1, size: "1" })), /: errors:\n {2}\.spec\.text: .*\n {2}\.spec\.size: /);
  assert.match(await message([]), /^400 error decoding YAML: .*cannot unmarshal array into Go value/);
  assert.equal(await message(null), "400 invalid object type: /, Kind=");
  assert.equal(await message({ ...thing({}), kind: "Other" }), "400 invalid object type: example.dev/v1, Kind=Other");
  const metadata = { name: "a", managedFields: [] };
  assert.equal(await message({ ...thing({}), metadata }), "400 metadata.managedFields must be nil");
});

test("applyConfiguration keeps the order of live items, and takes that of the configuration", async () => {
  const live = await written(owner("a"), undefined, thing({ set: ["a", "b", "c", "d"] }));
  const order = async (set: readonly string[]): Promise<unknown> => (await apply(owner("b"), live, { set })).spec;
  assert.deepEqual(await order(["e", "b", "a"]), { set: ["e", "b", "c", "d", "a"] });
  assert.deepEqual(await order(["d", "f", "c"]), { set: ["a", "b", "d", "f", "c"] });
});

test("names of prototypes are names like others", async () => {
  const hostile = JSON.parse('{"free":{"__proto__":{"x":1},"constructor":1,"toString":{}}}');
  const created = await apply(owner("a"), undefined, hostile);
  assert.equal(JSON.stringify(created.spec), JSON.stringify(hostile));
  assert.equal(({} as { x?: number }).x, undefined);
  const { "f:spec": spec } = owners(created)["a Apply v1"] as { readonly "f:spec": { readonly "f:free": object } };
  assert.deepEqual(Object.keys(spec["f:free"]), ["f:__proto__", "f:constructor", "f:toString"]);
});

test("keepTimesOfNoChange gives old times back when times are all that changed", async () => {
  const before = await written(owner("a"), undefined, thing({ size: 1 }));
  const after = structuredClone(before);
  for (const entry of after.metadata.managedFields ?? []) entry.time = later;
  const stored = before as Parameters<typeof keepTimesOfNoChange>[0];
  const changed = { ...structuredClone(after), spec: { size: 2 } };
  keepTimesOfNoChange(stored, after);
  assert.deepEqual(after, before);
  keepTimesOfNoChange(stored, changed);
  assert.equal(changed.metadata.managedFields?.[0]?.time, later);
});

test("applying twice is applying once", async () => {
  await fc.assert(
    fc.asyncProperty(specs, specs, async (first, second) => {
      const live = await written(owner("a"), undefined, thing(first));
      const once = await apply(owner("b"), live, second, true);
      const twice = await apply(owner("b", { now: later }), once, second, true);
      assert.deepEqual(twice, once);
    }),
  );
});

test("an applied configuration is in the object, and its manager owns all of it", async () => {
  await fc.assert(
    fc.asyncProperty(specs, specs, async (first, second) => {
      const live = await written(owner("a"), undefined, thing(first));
      const applied = await apply(owner("b"), live, second, true);
      const again = await apply(owner("c"), applied, second);
      assert.deepEqual(again.spec, applied.spec);
      assert.deepEqual(owners(again)["c Apply v1"], owners(applied)["b Apply v1"]);
    }),
  );
});
