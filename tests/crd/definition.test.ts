import assert from "node:assert/strict";
import { after, test } from "node:test";
import { serveKind, sharedKubeApiserver } from "@farwatch/testing";
import { createClient, defineResource, isCodedError, loadConfig, toCrd } from "farwatch";
import { z } from "zod";

const client = createClient({ config: loadConfig({ kubeconfig: sharedKubeApiserver().kubeconfigFile }) });
after(() => client[Symbol.asyncDispose]());

const group = "definition.farwatch.dev";
const condition = z.object({
  type: z.string(),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string().optional(),
});

const Bucket = defineResource({
  group,
  version: "v1",
  kind: "Bucket",
  shortNames: ["bk"],
  categories: ["storage"],
  description: "A bucket.",
  spec: z.object({
    region: z.string().default("eu"),
    replicas: z.int().default(1),
    size: z.int().optional(),
    on: z.enum(["on", "off"]).optional(),
  }),
  status: z.object({
    replicas: z.int().optional(),
    probedAt: z.iso.datetime().optional(),
    conditions: z.array(condition).optional(),
  }),
  printerColumns: [
    { name: "Region", path: ".spec.region" },
    { name: "Size", path: ".spec.size" },
    { name: "Ready", path: '.status.conditions[?(@.type=="Ready")].status', description: "Whether it is ready." },
    { name: "Probed", path: ".status.probedAt", type: "date", priority: 1 },
  ],
  selectableFields: ["spec.region"],
  scaleSubresource: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
});

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly type: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

interface ResourceList {
  readonly resources: readonly {
    readonly name: string;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

test("defineResource gives a kind all that a CRD has: names, columns, selectable fields, status and scale", async () => {
  await using _ = await serveKind(client, Bucket);
  const key = { namespace: "default", name: "a" };
  const created = await client.create(Bucket, { metadata: key, spec: { size: 3 } });
  assert.deepEqual(created.spec, { region: "eu", replicas: 1, size: 3 });
  await client.create(Bucket, { metadata: { ...key, name: "b" }, spec: { region: "us" } });

  const { resources } = await client.rest.json<ResourceList>({ method: "GET", path: `/apis/${group}/v1` });
  assert.deepEqual(resources.map(({ name }) => name).toSorted(), ["buckets", "buckets/scale", "buckets/status"]);
  const own = resources.find(({ name }) => name === "buckets");
  assert.deepEqual([own?.shortNames, own?.categories], [["bk"], ["storage"]]);

  const found = await client.list(Bucket, { fields: "spec.region=us" });
  assert.deepEqual(
    found.map(({ metadata }) => metadata.name),
    ["b"],
  );

  const withStatus = await client.patchStatus(created, { probedAt: "2030-01-01T00:00:00Z", replicas: 1 });
  assert.equal(withStatus.metadata.generation, created.metadata.generation);
  const resized = await client.patch(withStatus, { spec: { size: 4 } });
  assert.equal(resized.metadata.generation, 2);
  assert.deepEqual(resized.status, withStatus.status);

  const { columnDefinitions, rows } = await client.rest.json<Table>({
    method: "GET",
    path: `/apis/${group}/v1/namespaces/default/buckets`,
    accept: "application/json;as=Table;g=meta.k8s.io;v=v1",
  });
  assert.deepEqual(
    columnDefinitions.slice(1).map(({ name, type, priority }) => `${name} ${type} ${priority}`),
    ["Region string 0", "Size integer 0", "Ready string 0", "Probed date 1"],
  );
  assert.deepEqual(rows[0]?.cells.slice(0, 4), ["a", "eu", 4, null]);

  const scale = await client.rest.json<{ readonly spec: { readonly replicas: number } }>({
    method: "GET",
    path: `/apis/${group}/v1/namespaces/default/buckets/a/scale`,
  });
  assert.equal(scale.spec.replicas, 1);
});

test("status.conditions of a defined kind are merged by type when two managers apply them", async () => {
  const Merged = defineResource({
    group,
    version: "v1",
    kind: "Merged",
    spec: z.object({}),
    status: z.object({ conditions: z.array(condition).optional() }),
  });
  await using _ = await serveKind(client, Merged);
  const object = await client.create(Merged, { metadata: { namespace: "default", name: "a" }, spec: {} });
  await client.applyStatus(
    object,
    { conditions: [{ type: "Ready", status: "True" }] },
    { fieldManager: "one", unconditional: true },
  );
  await client.applyStatus(
    object,
    { conditions: [{ type: "Synced", status: "True" }] },
    { fieldManager: "two", unconditional: true },
  );
  const { status } = await client.get(Merged, object.metadata);
  assert.deepEqual(status?.conditions?.map(({ type }) => type).toSorted(), ["Ready", "Synced"]);
});

test("toCrd serves several versions of a kind, and stores the last", async () => {
  const names = { group, kind: "Evolving" } as const;
  const alpha = defineResource({
    ...names,
    version: "v1alpha1",
    deprecationWarning: "use v1",
    spec: z.object({ a: z.string() }),
  });
  const stable = defineResource({ ...names, version: "v1", spec: z.object({ a: z.string(), b: z.int().default(2) }) });
  await using served = await serveKind(client, [alpha, stable]);
  assert.deepEqual(served.crd.status?.storedVersions, ["v1"]);
  const old = await client.create(alpha, { metadata: { namespace: "default", name: "x" }, spec: { a: "1" } });
  assert.deepEqual(old.spec, { a: "1" });
  const read = await client.get(stable, old.metadata);
  assert.deepEqual([read.apiVersion, read.spec], [`${group}/v1`, { a: "1", b: 2 }]);
});

test("a CRD of a group that needs an approval is refused by the server too", async () => {
  const crd = toCrd(Bucket);
  const manifest = {
    ...crd,
    metadata: { name: "buckets.storage.k8s.io" },
    spec: { ...crd.spec, group: "storage.k8s.io" },
  };
  const sent = client.rest.json({
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body: manifest,
  });
  await assert.rejects(
    sent,
    (error) => isCodedError(error, "Invalid") && /protected groups must have approval/.test(error.message),
  );
});
