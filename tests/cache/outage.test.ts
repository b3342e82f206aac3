import assert from "node:assert/strict";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type KubeApiserver, startKubeApiserver, startTcpRelay, type TcpRelay } from "@farwatch/testing";
import {
  ConfigMap,
  type ConnectedClient,
  createClient,
  isCodedError,
  Namespace,
  staticConfig,
  systemClock,
} from "farwatch";
import { eventually } from "../eventually.ts";
import { replayed, startCache, versions } from "./started-cache.ts";

/** What a test does to the server, or to the way to it, is nobody else's business: this suite has a server of its own. */
let server: KubeApiserver;
let relay: TcpRelay;
let client: ConnectedClient;

before(async () => {
  server = await startKubeApiserver();
  relay = await startTcpRelay({ targetPort: Number(new URL(server.url).port) });
  client = createClient({ config: staticConfig({ server: server.url, ca: server.ca, token: server.token }) });
});

after(async () => {
  await client[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const throughRelay = () =>
  staticConfig({ server: `https://127.0.0.1:${relay.port}`, ca: server.ca, token: server.token });

/** A namespace of its own for each test, with three objects. */
async function objects(namespace: string) {
  await client.create(Namespace, { metadata: { name: namespace } });
  const put = (name: string) => client.create(ConfigMap, { metadata: { namespace, name }, data: {} });
  return { put, a: await put("a"), b: await put("b"), c: await put("c") };
}

test("informer goes on where it was when its connection to a real API server is cut", async () => {
  const namespace = "cut";
  const { put, c } = await objects(namespace);
  await using started = await startCache(throughRelay(), ConfigMap, namespace);
  await eventually("the first objects are told", () => started.replay.size === 3);
  started.told();
  for (let i = 0; i < 3; i += 1) {
    relay.cut();
    await client.patch(c, { data: { x: String(i) } }, { unconditional: true });
    await eventually("the change is told", () => started.informer.get({ namespace, name: "c" })?.data?.x === String(i));
  }
  await put("d");
  await eventually("the change is told", () => started.replay.has("d"));
  assert.deepEqual(started.told(), ["update c", "update c", "update c", "create d"]);
  assert.equal(started.lists, 1);
});

// B11
test("informer tells what it missed while a real etcd was compacted and the API server restarted", async () => {
  const namespace = "compaction";
  const { put, c } = await objects(namespace);
  await using started = await startCache(throughRelay(), ConfigMap, namespace);
  await eventually("the first objects are told", () => started.replay.size === 3);
  started.told();
  await relay.refuse();
  await client.delete(ConfigMap, { namespace, name: "b" });
  await client.delete(ConfigMap, { namespace, name: "a" });
  await put("a");
  await client.patch(c, { data: { x: "1" } });
  await server.compactEtcd();
  await server.restart();
  await eventually("the failure is known", () => started.informer.state.phase === "failing");
  assert.equal(started.informer.state.problem?.reason, "Unreachable");
  assert.equal(started.informer.size, 3);
  await relay.resume();
  await eventually("the changes are told", () => started.replay.get("c") !== c.metadata.resourceVersion);
  assert.deepEqual(started.told().toSorted(), ["create a", "delete a unknown", "delete b unknown", "update c"]);
  assert.deepEqual(versions(started.informer.list()), versions(await client.list(ConfigMap, { namespace })));
});

test("informer is in step with a real API server that is killed and restarted under load", async () => {
  const namespace = "load";
  await objects(namespace);
  await using started = await startCache(throughRelay(), ConfigMap, namespace);
  const stop = new AbortController();
  let writes = 0;
  const write = async (worker: number): Promise<void> => {
    for (let i = 0; !stop.signal.aborted; i += 1) {
      const key = { namespace, name: `w${worker}-${i % 20}` };
      try {
        if (i % 7 === 6) await client.delete(ConfigMap, key);
        else await client.apply(ConfigMap, { metadata: key, data: { i: String(i) } });
        writes += 1;
      } catch (error) {
        if (!isCodedError(error)) throw error;
        await systemClock.sleep("50ms");
      }
    }
  };
  const workers = [0, 1, 2].map(write);
  await eventually("some writes are done", () => writes > 100);
  server.kill("SIGKILL");
  await server.restart();
  const before = writes;
  await eventually("writes go on", () => writes > before + 100);
  stop.abort();
  await Promise.all(workers);
  const live = versions(await client.list(ConfigMap, { namespace }));
  await eventually("the cache has caught up", () => versions(started.informer.list()).join() === live.join());
  await eventually("the reader has caught up", () => replayed(started.replay).join() === live.join());
});

// Promise 8
test("informer follows a real etcd that is restored to an older state", async () => {
  const namespace = "restore";
  const { put, a } = await objects(namespace);
  const data = join(server.folder, "etcd");
  const backup = join(server.folder, "etcd-backup");
  const stopped = async (work: () => Promise<void>): Promise<void> => {
    server.kill("SIGKILL");
    server.kill("SIGKILL", "etcd");
    await eventually("the servers are down", () => Object.keys(server.pids).length === 0);
    await work();
    await server.restart();
  };
  await stopped(() => cp(data, backup, { recursive: true }));
  await using started = await startCache(throughRelay(), ConfigMap, namespace);
  await client.patch(a, { data: { x: "lost" } });
  await client.delete(ConfigMap, { namespace, name: "b" });
  for (let i = 0; i < 200; i += 1) await put(`lost-${i}`);
  await eventually("all is told", () => started.replay.size === 202);
  started.told();
  await stopped(async () => {
    await rm(data, { recursive: true });
    await cp(backup, data, { recursive: true });
  });
  const live = versions(await client.list(ConfigMap, { namespace }));
  assert.deepEqual(
    live.map((each) => each.split("@")[0]),
    ["a", "b", "c"],
  );
  await eventually("the cache has caught up", () => versions(started.informer.list()).join() === live.join());
  const told = started.told();
  assert.deepEqual(told.filter((line) => !line.includes("lost")).toSorted(), ["create b", "update a"]);
  assert.equal(told.length, 202);
  await put("d");
  await eventually("what comes next is told", () => started.replay.has("d"));
});
