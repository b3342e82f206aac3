import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sharedKubeApiserver } from "@farwatch/testing";
import { ConfigMap, type ConnectedClient, createClient, loadConfig, Namespace, Secret } from "farwatch";
import { refused } from "./refused.ts";

const namespace = "client-object";
let client: ConnectedClient;

before(async () => {
  const { kubeconfigFile } = sharedKubeApiserver();
  client = createClient({ config: loadConfig({ kubeconfig: kubeconfigFile }), fieldManager: "suite" });
  await client.create(Namespace, { metadata: { name: namespace } });
});

after(async () => {
  await client.deleteCollection(ConfigMap, { namespace });
  await client.delete(Namespace, { name: namespace });
  await client[Symbol.asyncDispose]();
});

const configMap = (name: string, data: Record<string, string> = { x: "1" }) => ({
  metadata: { namespace, name },
  data,
});
test("client creates, gets, finds, updates, patches and deletes on a real API server", async () => {
  const key = { namespace, name: "verbs" };
  assert.equal(await client.find(ConfigMap, key), undefined);
  await refused(
    client.get(ConfigMap, key),
    "NotFound",
    `Cannot get configmaps ${namespace}/verbs: configmaps "verbs" not found`,
  );
  const created = await client.create(ConfigMap, configMap("verbs"));
  assert.deepEqual(
    [created.kind, created.data, created.metadata.managedFields?.[0]?.manager],
    ["ConfigMap", { x: "1" }, "suite"],
  );
  await refused(
    client.create(ConfigMap, configMap("verbs")),
    "AlreadyExists",
    `Cannot create configmaps ${namespace}/verbs: configmaps "verbs" already exists`,
  );
  assert.deepEqual(await client.get(ConfigMap, key), created);
  assert.deepEqual(await client.find(ConfigMap, key), created);

  const updated: ConfigMap = await client.update({ ...created, data: { x: "2" } });
  assert.notEqual(updated.metadata.resourceVersion, created.metadata.resourceVersion);
  const merged = await client.patch(updated, { data: { x: null, y: "3" } });
  assert.deepEqual(merged.data, { y: "3" });
  const operated = await client.patch(merged, [{ op: "add", path: "/data/z", value: "バケット🪣" }]);
  assert.deepEqual((await client.get(ConfigMap, key)).data, { y: "3", z: "バケット🪣" });
  assert.equal(await client.patch(operated, { data: { y: "3" } }), operated);

  assert.equal(await client.delete(ConfigMap, key), true);
  assert.equal(await client.delete(ConfigMap, key), false);
});

test("client writes of an object that has changed meanwhile are conflicts, whatever their form", async () => {
  const old = await client.create(ConfigMap, configMap("conflict"));
  const now = await client.patch(old, { data: { x: "2" } });
  const modified = /the object has been modified; please apply your changes to the latest version and try again$/;
  await refused(client.update({ ...old, data: { x: "3" } }), "Conflict", modified);
  await refused(client.patch(old, { data: { x: "3" } }), "Conflict", modified);
  const { resourceVersion } = now.metadata;
  await refused(
    client.patch(old, [{ op: "replace", path: "/data/x", value: "3" }]),
    "Conflict",
    `Cannot patch configmaps ${namespace}/conflict: it has been changed (version ${old.metadata.resourceVersion}, now ${resourceVersion}); read it again`,
  );
  await refused(client.patch(now, [{ op: "remove", path: "/data/nothing" }]), "Invalid");
  const unconditional = { unconditional: true };
  assert.deepEqual((await client.patch(old, { data: { x: "4" } }, unconditional)).data, { x: "4" });
  assert.deepEqual((await client.patch(old, [{ op: "replace", path: "/data/x", value: "5" }], unconditional)).data, {
    x: "5",
  });
  assert.deepEqual((await client.update({ ...old, data: { x: "6" } }, unconditional)).data, { x: "6" });
});

test("client apply creates, owns, meets conflicts, and takes over with force", async () => {
  const applied = await client.apply(ConfigMap, configMap("apply"), { fieldManager: "one" });
  assert.equal(applied.metadata.managedFields?.[0]?.operation, "Apply");
  const error = await refused(
    client.apply(ConfigMap, configMap("apply", { x: "2" }), { fieldManager: "two", force: false }),
    "Conflict",
    `Cannot patch configmaps ${namespace}/apply: Apply failed with 1 conflict: conflict with "one": .data.x`,
  );
  assert.deepEqual(error.causes, [
    { field: ".data.x", reason: "FieldManagerConflict", message: 'conflict with "one"' },
  ]);
  const forced = await client.apply(ConfigMap, configMap("apply", { x: "2" }), { fieldManager: "two" });
  assert.deepEqual(forced.data, { x: "2" });
  const dropped = await client.apply(ConfigMap, { metadata: { namespace, name: "apply" } }, { fieldManager: "two" });
  assert.equal(dropped.data, undefined);
});

test("client dry runs are answered as if they had been done", async () => {
  const key = { namespace, name: "dry" };
  const created = await client.create(ConfigMap, configMap("dry"), { dryRun: true });
  assert.equal(created.metadata.name, "dry");
  assert.equal(await client.find(ConfigMap, key), undefined);
  const object = await client.create(ConfigMap, configMap("dry"));
  const dryRun = { dryRun: true };
  assert.deepEqual((await client.patch(object, { data: { x: "2" } }, dryRun)).data, { x: "2" });
  assert.deepEqual((await client.update({ ...object, data: { x: "2" } }, dryRun)).data, { x: "2" });
  assert.deepEqual((await client.apply(ConfigMap, configMap("dry", { x: "2" }), dryRun)).data, { x: "2" });
  assert.equal(await client.delete(ConfigMap, key, dryRun), true);
  assert.deepEqual(await client.get(ConfigMap, key), object);
});

test("client does not repeat what the server says about a Secret", async () => {
  const metadata = { namespace, name: "secret" };
  const error = await refused(
    client.create(Secret, { metadata, type: "kubernetes.io/tls", stringData: { "tls.crt": "hunter2" } }),
    "Invalid",
    /^Cannot create secrets client-object\/secret: HTTP 422 Invalid, about data\[tls.key\] \(the server's words are withheld/,
  );
  assert.ok(!JSON.stringify([error.message, error.causes]).includes("hunter2"));
});

// B76
test("client lists 1,200 objects in pages, each once, and selects by label and field", async () => {
  const names = Array.from({ length: 1_200 }, (_, index) => `page-${index}`);
  const rest = names.values();
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      for (const name of rest) {
        const labels = { suite: "pages", half: Number(name.slice(5)) < 600 ? "first" : "second" };
        await client.create(ConfigMap, { metadata: { namespace, name, labels }, data: { text: "バケット🪣" } });
      }
    }),
  );
  const all = await client.list(ConfigMap, { namespace, labels: { suite: "pages" } });
  assert.equal(all.length, 1_200);
  assert.deepEqual(new Set(all.map(({ metadata }) => metadata.name)), new Set(names));
  assert.ok(
    all.every(
      ({ apiVersion, kind, data }) => apiVersion === "v1" && kind === "ConfigMap" && data?.text === "バケット🪣",
    ),
  );
  const first = await client.list(ConfigMap, { labels: "suite=pages,half in (first)", pageSize: 7 });
  assert.equal(first.length, 600);
  const one = await client.list(ConfigMap, { namespace, fields: "metadata.name=page-7" });
  assert.deepEqual(
    one.map(({ metadata }) => metadata.name),
    ["page-7"],
  );
  await client.deleteCollection(ConfigMap, { namespace, labels: { suite: "pages" } });
  assert.deepEqual(await client.list(ConfigMap, { namespace, labels: { suite: "pages" } }), []);
});
