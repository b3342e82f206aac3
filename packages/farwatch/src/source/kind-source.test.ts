import assert from "node:assert/strict";
import { test } from "node:test";
import { createCache } from "../cache/create-cache.ts";
import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import { createScriptedCache } from "../doubles/scripted-cache.ts";
import { createScriptedCluster } from "../doubles/scripted-cluster.fixture.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { defineBuiltin } from "../resource/define-builtin.ts";
import type { Resource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import { kindSource } from "./kind-source.ts";
import type { Subscription } from "./source-hub.ts";
import { timerSource } from "./timer-source.ts";

const Bucket: Resource<KubeObject> = defineBuiltin({
  group: "example.farwatch.dev",
  version: "v1",
  kind: "Bucket",
  subresources: ["status"],
});

function bucket(name: string, resourceVersion = "1", uid = `uid-${name}`): KubeObject {
  return { apiVersion: Bucket.apiVersion, kind: "Bucket", metadata: { namespace: "ns", name, uid, resourceVersion } };
}

async function texts(watch: Subscription<KubeObject>, count: number): Promise<string[]> {
  const seen: string[] = [];
  while (seen.length < count) {
    const received = await watch.receive();
    if (received === undefined) throw new Error("The subscription was left");
    const { event } = received;
    const { name, resourceVersion } = event.object.metadata;
    seen.push(
      `${event.type} ${name} ${resourceVersion}${event.type === "create" && event.inInitialList ? " initial" : ""}`,
    );
    received.hold.done();
  }
  return seen;
}

test("kindSource tells of all objects, then of what happens to them, and merges while its watch is slow", async () => {
  const clock = createVirtualClock();
  const cache = createScriptedCache();
  const hub = createScriptedHub({ clock, cache, metrics: createMetrics(), log: silentLogger });
  const source = kindSource(Bucket);
  assert.deepEqual(source.caches, [Bucket]);
  const watch = hub.subscribe({ ...source, capacity: 1 }, { name: "w" });
  assert.equal(cache.held, 1, "declared before it is open, so that the cache is warm on every replica");
  cache.put(Bucket, bucket("a"));
  cache.put(Bucket, bucket("b"));
  const controller = new AbortController();
  const closed = hub.open("leader", controller.signal);
  assert.deepEqual(await texts(watch, 2), ["create a 1 initial", "create b 1 initial"]);
  cache.put(Bucket, bucket("a", "2"));
  await clock.settle();
  cache.put(Bucket, bucket("a", "3"));
  await clock.settle();
  for (const version of ["2", "3", "4"]) cache.put(Bucket, bucket("b", version));
  cache.remove(Bucket, { namespace: "ns", name: "a" });
  cache.put(Bucket, bucket("a", "9", "uid-new"));
  await clock.settle();
  assert.deepEqual(await texts(watch, 5), ["update a 2", "update a 3", "update b 4", "delete a 3", "create a 9"]);
  controller.abort();
  await closed;
  assert.equal(cache.held, 1);
  await watch[Symbol.asyncDispose]();
  assert.equal(cache.held, 0);
});

test("kindSource begins with all objects again when this replica leads again", async () => {
  const clock = createVirtualClock();
  const cache = createScriptedCache();
  const hub = createScriptedHub({ clock, cache, metrics: createMetrics(), log: silentLogger });
  const watch = hub.subscribe(kindSource(Bucket), { name: "w" });
  cache.put(Bucket, bucket("a"));
  for (let term = 0; term < 2; term += 1) {
    const controller = new AbortController();
    const closed = hub.open("leader", controller.signal);
    assert.deepEqual(await texts(watch, 1), ["create a 1 initial"]);
    cache.put(Bucket, bucket("a"));
    await clock.settle();
    controller.abort();
    await closed;
  }
});

test("kindSource with a selector has an informer of its own and names no kind as wholly cached", () => {
  assert.equal(kindSource(Bucket, { labels: { a: "b" } }).caches, undefined);
});

test("kindSource and timerSource work on a real cache, over changes of leader too", async () => {
  const clock = createVirtualClock();
  const cluster = createScriptedCluster(clock);
  const client = createClient({
    config: staticConfig({ server: "https://api.test" }),
    transport: cluster.transport,
    clock,
  });
  const metrics = createMetrics();
  const cache = createCache({ client, clock, log: silentLogger, metrics });
  const hub = createScriptedHub({ clock, cache, metrics, log: silentLogger });
  const kinds = hub.subscribe(kindSource(Bucket), { name: "w" });
  const timers = hub.subscribe(timerSource(Bucket, { period: () => "1m" }), { name: "w" });
  cluster.put(Bucket, { metadata: { namespace: "ns", name: "a" } });
  const stop = new AbortController();
  const cached = cache.start(stop.signal);
  for (let term = 0; term < 2; term += 1) {
    const controller = new AbortController();
    const closed = hub.open("leader", controller.signal);
    await clock.settle();
    assert.match((await texts(kinds, 1)).join(), /^create a \d+ initial$/);
    await clock.advance("1m");
    assert.equal((await timers.receive())?.event.object.metadata.name, "a");
    cluster.put(Bucket, { metadata: { namespace: "ns", name: "b" } });
    await clock.settle();
    cluster.remove(Bucket, { namespace: "ns", name: "b" });
    await clock.settle();
    assert.deepEqual(
      (await texts(kinds, 2)).map((line) => line.replace(/ \d+$/, "")),
      ["create b", "delete b"],
    );
    controller.abort();
    await closed;
  }
  stop.abort();
  await cached;
  await Promise.all([kinds[Symbol.asyncDispose](), timers[Symbol.asyncDispose]()]);
  assert.deepEqual(cache.informers, []);
});
