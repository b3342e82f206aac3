import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sharedKubeApiserver } from "@farwatch/testing";
import {
  type BuiltinResource,
  ConfigMap,
  type ConnectedClient,
  CustomResourceDefinition,
  createClient,
  defineBuiltin,
  type KubeObject,
  type Logger,
  loadConfig,
  Namespace,
  Secret,
  silentLogger,
} from "farwatch";
import { eventually } from "../eventually.ts";
import { refused } from "./refused.ts";

interface Gauge extends KubeObject {
  readonly spec: { readonly replicas: number; readonly unit?: string };
  readonly status?: {
    readonly value?: string;
    readonly replicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}
const Gauge: BuiltinResource<Gauge> = defineBuiltin({
  group: "client.farwatch.dev",
  version: "v1",
  kind: "Gauge",
  subresources: ["status", "scale"],
});

const gaugeSchema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { replicas: { type: "integer", minimum: 0 }, unit: { type: "string" } } },
    status: {
      type: "object",
      properties: {
        value: { type: "string" },
        replicas: { type: "integer" },
        conditions: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["type"],
          items: {
            type: "object",
            required: ["type"],
            properties: { type: { type: "string" }, status: { type: "string" } },
          },
        },
      },
    },
  },
} as const;

const gaugeCrd = {
  metadata: { name: "gauges.client.farwatch.dev" },
  spec: {
    group: "client.farwatch.dev",
    scope: "Namespaced",
    names: { plural: "gauges", singular: "gauge", kind: "Gauge", listKind: "GaugeList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        schema: { openAPIV3Schema: gaugeSchema },
      },
      // Has no status subresource.
      { name: "v2", served: true, storage: false, schema: { openAPIV3Schema: gaugeSchema } },
    ],
  },
} as const;

const namespace = "client-custom-resource";
const server = sharedKubeApiserver();
const warnings: string[] = [];
const log: Logger = {
  ...silentLogger,
  warn: (_, fields) => {
    warnings.push(String(fields?.warning));
  },
};
let client: ConnectedClient;

before(async () => {
  client = createClient({ config: loadConfig({ kubeconfig: server.kubeconfigFile }), log, fieldManager: "suite" });
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(CustomResourceDefinition, gaugeCrd);
  await eventually("gauges are served", async () => (await client.list(Gauge)).length === 0);
});

after(async () => {
  await client.delete(CustomResourceDefinition, gaugeCrd.metadata);
  await client.delete(Namespace, { name: namespace });
  await client[Symbol.asyncDispose]();
});

const gauge = (name: string) => ({ metadata: { namespace, name }, spec: { replicas: 1 } });

test("client update without a version also replaces a custom resource, which insists on one", async () => {
  const created = await client.create(Gauge, gauge("insists"));
  await client.patch(created, { spec: { unit: "m" } });
  const updated = await client.update({ ...created, spec: { replicas: 7 } }, { unconditional: true });
  assert.deepEqual(updated.spec, { replicas: 7 });
});

test("client status writes leave the spec alone, and merge or own what they say", async () => {
  const created = await client.create(Gauge, gauge("status"));
  const patched = await client.patchStatus(created, { value: "low" });
  assert.deepEqual([patched.status, patched.metadata.generation], [{ value: "low" }, 1]);
  const applied = await client.applyStatus(patched, { conditions: [{ type: "Ready", status: "True" }] });
  assert.deepEqual(applied.status, { value: "low", conditions: [{ type: "Ready", status: "True" }] });
  const other = await client.applyStatus(
    applied,
    { conditions: [{ type: "Full", status: "False" }] },
    { fieldManager: "other" },
  );
  assert.deepEqual(
    other.status?.conditions?.map(({ type }) => type),
    ["Ready", "Full"],
  );
  const replaced = await client.updateStatus({ ...other, spec: { replicas: 9 }, status: { value: "high" } });
  assert.deepEqual([replaced.spec, replaced.status], [{ replicas: 1 }, { value: "high" }]);
});

// B12
test("client patchStatus on a real API server writes again after a foreign change, and never onto a namesake or another spec", async () => {
  const created = await client.create(Gauge, gauge("namesake"));
  const key = { namespace, name: "namesake" };
  await client.patch(created, { metadata: { labels: { x: "y" } } });
  const patched = await client.patchStatus(created, { value: "low" });
  assert.deepEqual([patched.status, patched.metadata.labels], [{ value: "low" }, { x: "y" }]);

  await client.patch(patched, { spec: { unit: "m" } });
  await refused(
    client.patchStatus(patched, { value: "high" }),
    "Conflict",
    `Cannot patch gauges/status ${namespace}/namesake: its spec has changed (generation 1, now 2); read it again`,
  );
  await client.delete(Gauge, key);
  await refused(client.patchStatus(patched, { value: "high" }), "NotFound");
  const again = await client.create(Gauge, gauge("namesake"));
  const { uid } = created.metadata;
  for (const write of ["patchStatus", "applyStatus"] as const) {
    await refused(
      client[write](created, { value: "high" }),
      "Conflict",
      `Cannot patch gauges/status ${namespace}/namesake: it was deleted and created again (uid ${uid}, now ${again.metadata.uid}); read it again`,
    );
  }
  assert.deepEqual(await client.get(Gauge, key), again);
});

test("client refuses unknown fields by default, and logs the server's warning when asked to warn", async () => {
  const unknown = { ...gauge("strict"), spec: { replicas: 1, colour: "red" } };
  await refused(
    client.create(Gauge, unknown),
    "BadRequest",
    `Cannot create gauges ${namespace}/strict: Gauge in version "v1" cannot be handled as a Gauge: strict decoding error: unknown field "spec.colour"`,
  );
  const created = await client.create(Gauge, unknown, { fieldValidation: "Warn" });
  assert.deepEqual(created.spec, { replicas: 1 });
  assert.deepEqual(warnings, ['unknown field "spec.colour"']);
});

test("client tells which field is invalid", async () => {
  const error = await refused(
    client.create(Gauge, { ...gauge("invalid"), spec: { replicas: -1 } }),
    "Invalid",
    `Cannot create gauges ${namespace}/invalid: Gauge.client.farwatch.dev "invalid" is invalid: [spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0, .spec.replicas: Invalid value: -1: should be a non-negative integer]`,
  );
  assert.deepEqual(
    error.causes.map(({ field, reason }) => [field, reason]),
    [
      ["spec.replicas", "FieldValueInvalid"],
      [".spec.replicas", "FieldValueInvalid"],
    ],
  );
  assert.equal(error.httpStatus, 422);
});

test("client delete keeps its preconditions", async () => {
  const created = await client.create(Gauge, gauge("preconditions"));
  const key = { namespace, name: "preconditions" };
  await refused(
    client.delete(Gauge, key, { preconditions: { uid: "other" } }),
    "Conflict",
    /the UID in the precondition \(other\) does not match/,
  );
  await client.patch(created, { metadata: { labels: { x: "y" } } });
  const { uid, resourceVersion } = created.metadata;
  await refused(client.delete(Gauge, key, { preconditions: { uid, resourceVersion } }), "Conflict");
  assert.equal(await client.delete(Gauge, key, { preconditions: { uid }, propagation: "Background" }), true);
  assert.equal(await client.find(Gauge, key), undefined);
});

test("client marks an object with a finalizer for deletion, and it goes with the finalizer", async () => {
  const key = { namespace, name: "finalizer" };
  await client.create(Gauge, { ...gauge("finalizer"), metadata: { ...key, finalizers: ["client.farwatch.dev/hold"] } });
  const told: unknown[] = [];
  const view = client.view({ onWrite: (object, change) => told.push([object.metadata.uid, change]) });
  assert.equal(await view.delete(Gauge, key), true);
  const marked = await client.get(Gauge, key);
  assert.ok(marked.metadata.deletionTimestamp !== undefined);
  await view.patch(marked, [{ op: "remove", path: "/metadata/finalizers/0" }]);
  assert.equal(await client.find(Gauge, key), undefined);
  const created = await client.create(Gauge, gauge("finalizer"));
  await view.delete(Gauge, key);
  assert.deepEqual(told, [
    [marked.metadata.uid, "written"],
    [marked.metadata.uid, "written"],
    [created.metadata.uid, "deleted"],
  ]);
});

test("client scales through the scale subresource", async () => {
  const created = await client.create(Gauge, gauge("scale"));
  const scale: KubeObject = await client.patch(created, { spec: { replicas: 5 } }, { subresource: "scale" });
  assert.equal(scale.kind, "Scale");
  assert.equal((await client.get(Gauge, { namespace, name: "scale" })).spec.replicas, 5);
  await refused(client.patch(created, { spec: { replicas: 6 } }, { subresource: "scale" }), "Conflict");
});

test("client says which RBAC rule a user lacks", async () => {
  await using restricted = createClient({
    config: loadConfig({ kubeconfig: server.user("restricted").kubeconfigFile }),
    resources: [Gauge],
  });
  await refused(
    restricted.list(Gauge, { namespace }),
    "Forbidden",
    `Cannot list gauges in namespace ${namespace}: gauges.client.farwatch.dev is forbidden: User "restricted" cannot list resource "gauges" in API group "client.farwatch.dev" in the namespace "${namespace}"; to allow it, add { apiGroups: ["client.farwatch.dev"], resources: ["gauges"], verbs: ["list"] } to a Role of this user in namespace "${namespace}"`,
  );
  const object = await client.create(Gauge, gauge("forbidden"));
  await refused(
    restricted.patchStatus(object, { value: "x" }),
    "Forbidden",
    /resources: \["gauges\/status"\], verbs: \["patch"\]/,
  );
  await refused(restricted.list(ConfigMap), "Forbidden", /verbs: \["list"\] \} to a ClusterRole of this user$/);
  await refused(
    restricted.get(Secret, { namespace, name: "x" }),
    "Forbidden",
    /add \{ apiGroups: \[""\], resources: \["secrets"\], verbs: \["get"\] \}/,
  );
});

test("client tells a kind that the server does not have from an object that is missing", async () => {
  const kinds: readonly BuiltinResource<Gauge>[] = [
    defineBuiltin({ group: "client.farwatch.dev", version: "v1", kind: "Nothing" }),
    defineBuiltin({ group: "nowhere.farwatch.dev", version: "v1", kind: "Nothing" }),
    defineBuiltin({ version: "v1", kind: "Nothing" }),
  ];
  const advice =
    /^Cannot get nothings client-custom-resource\/x: .+; does the server have this API: is the CRD installed/;
  for (const kind of kinds) {
    await refused(client.find(kind, { namespace, name: "x" }), "NotFound", advice);
    await refused(client.delete(kind, { namespace, name: "x" }), "NotFound");
  }
  assert.equal(await client.find(Gauge, { namespace: "no-such-namespace", name: "x" }), undefined);
});

test("client says that a CRD without a status subresource may be why a status finds no object", async () => {
  const Statusless: BuiltinResource<Gauge> = defineBuiltin({
    group: "client.farwatch.dev",
    version: "v2",
    kind: "Gauge",
  });
  const object = await client.create(Statusless, gauge("statusless"));
  await refused(
    client.patchStatus(object, { value: "x" }),
    "NotFound",
    `Cannot patch gauges/status ${namespace}/statusless: it has been deleted or, if it is there, its CRD has no status subresource`,
  );
});
