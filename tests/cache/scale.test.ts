import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type KubeApiserver, startKubeApiserver } from "@farwatch/testing";
import { ConfigMap, type ConnectedClient, createClient, loadConfig, Namespace } from "farwatch";
import { eventually } from "../eventually.ts";
import { replayed, startCache, versions } from "./started-cache.ts";

const namespace = "cache-scale";
const count = 10_000;
/** Of its own: nobody else shall live with so many objects. */
let server: KubeApiserver;
let client: ConnectedClient;
const config = () => loadConfig({ kubeconfig: server.kubeconfigFile });

before(async () => {
  server = await startKubeApiserver();
  client = createClient({ config: config() });
  await client.create(Namespace, { metadata: { name: namespace } });
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const name = `object-${next}`;
      next += 1;
      await client.create(ConfigMap, { metadata: { namespace, name }, data: { text: "x".repeat(500) } });
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
});

after(async () => {
  await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

test("informer holds 10,000 objects of a real API server, each told to its reader once", async () => {
  await using started = await startCache(config(), ConfigMap, namespace);
  assert.equal(started.informer.size, count);
  await eventually("the reader has seen all", () => started.replay.size === count);
  assert.equal(started.told().length, count);
  assert.equal(started.lists, 1);
  const live = versions(await client.list(ConfigMap, { namespace }));
  assert.deepEqual(versions(started.informer.list()), live);
  assert.deepEqual(replayed(started.replay), live);
});
