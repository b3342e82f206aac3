import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sharedKubeApiserver } from "@farwatch/testing";
import {
  ConfigMap,
  type ConnectedClient,
  createClient,
  createManager,
  defineBuiltin,
  type KubeObject,
  loadConfig,
  Namespace,
  silentLogger,
} from "farwatch";
import { eventually } from "../eventually.ts";
import { replayed, startCache, versions } from "./started-cache.ts";

const namespace = "cache-informer";
const config = () => loadConfig({ kubeconfig: sharedKubeApiserver().kubeconfigFile });
let client: ConnectedClient;

before(async () => {
  client = createClient({ config: config() });
  await client.create(Namespace, { metadata: { name: namespace } });
});

after(async () => {
  await client.deleteCollection(ConfigMap, { namespace });
  await client.delete(Namespace, { name: namespace });
  await client[Symbol.asyncDispose]();
});

const put = (
  name: string,
  data: Readonly<Record<string, string>> = {},
  labels: Readonly<Record<string, string>> = {},
) => client.create(ConfigMap, { metadata: { namespace, name, labels }, data });

test("informer syncs by a streamed list from a real API server, and follows every change", async () => {
  await put("a");
  const b = await put("b", { text: "バケット🪣\u2028" });
  await using started = await startCache(config(), ConfigMap, namespace);
  const { informer, cache } = started;
  await eventually("the first objects are told", () => started.replay.size === 2);
  assert.deepEqual(started.told().toSorted(), ["create a", "create b"]);
  const { managedFields: _, ...metadata } = b.metadata;
  assert.deepEqual(informer.get({ namespace, name: "b" }), { ...b, metadata });

  const c = await put("c");
  await client.patch(c, { data: { x: "1" } });
  await client.delete(ConfigMap, { namespace, name: "a" });
  await put("a", { x: "new" });
  await eventually(
    "the changes are told",
    () => started.replay.get("a") !== undefined && informer.get({ namespace, name: "c" })?.data?.x === "1",
  );
  const live = versions(await client.list(ConfigMap, { namespace }));
  await eventually("the reader has caught up", () => replayed(started.replay).join() === live.join());
  assert.deepEqual(versions(await cache.list(ConfigMap)), live);
  assert.equal(started.lists, 1);
  assert.equal(informer.state.phase, "watching");
});

test("informer with a selector is told by a real API server when an object leaves it", async () => {
  const options = { namespace, labels: "tier in (gold, tin)" };
  await using started = await startCache(config(), ConfigMap, namespace);
  using informer = started.cache.informer(ConfigMap, options);
  using slim = started.cache.informer(ConfigMap, { ...options, metadataOnly: true });
  const object = await put("chosen", { x: "1" }, { tier: "gold" });
  await eventually("the object is there", () => informer.size === 1 && slim.size === 1);
  const key = { namespace, name: "chosen" };
  assert.deepEqual(Object.keys(slim.get(key) ?? {}), ["apiVersion", "kind", "metadata"]);
  assert.equal(slim.get(key)?.kind, "ConfigMap");
  await client.patch(object, { metadata: { labels: { tier: "lead" } } });
  await eventually("the object is gone", () => informer.size === 0 && slim.size === 0);
});

test("informer says on a real API server which right it lacks, and which CRD", async () => {
  const Missing = defineBuiltin({ group: "example.farwatch.dev", version: "v1", kind: "Missing" });
  for (const [kubeconfig, resource, reason, message] of [
    [
      sharedKubeApiserver().user("restricted").kubeconfigFile,
      ConfigMap,
      "Forbidden",
      'Cannot list and watch configmaps: forbidden for User "restricted"; to allow it, add { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] } to a ClusterRole of this user',
    ],
    [
      sharedKubeApiserver().kubeconfigFile,
      Missing,
      "CrdMissing",
      "Cannot list and watch missings.example.farwatch.dev: the server does not have this kind; install the CustomResourceDefinition missings.example.farwatch.dev, with version v1 served",
    ],
  ] as const) {
    await using restricted = createClient({ config: loadConfig({ kubeconfig }) });
    await using manager = createManager({ client: restricted, log: silentLogger, leaderElection: false, http: false });
    const stop = new AbortController();
    using informer = manager.cache.informer<KubeObject>(resource);
    const ended = manager.start({ signal: stop.signal });
    await eventually("the problem is known", () => informer.state.problem !== undefined);
    assert.equal(informer.state.problem?.reason, reason);
    assert.equal(informer.state.problem?.message, message);
    stop.abort();
    await ended;
  }
});
