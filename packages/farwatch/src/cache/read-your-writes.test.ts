import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import { createScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import { silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import { groupResource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import { Bucket } from "./bucket-cache.fixture.ts";
import type { InformerOptions } from "./cache.ts";
import { createCache } from "./create-cache.ts";
import { createReadYourWrites } from "./read-your-writes.ts";
import { createScriptedKind } from "./scripted-kind.fixture.ts";

const path = "/apis/example.farwatch.dev/v1/namespaces/a/buckets";
const key = { namespace: "a", name: "a" };
const object = (name: string, size: number, labels: Readonly<Record<string, string>> = {}) => ({
  metadata: { namespace: "a", name, labels },
  spec: { size },
});

/** A synced cache of one object, whose watch stays behind: the server's changes arrive when `catchUp` is called. */
async function setUp(options?: InformerOptions<Bucket>) {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  const server = createScriptedKind<Bucket>(transport, Bucket);
  const client = createClient({ transport, clock, config: staticConfig({ server: "https://api.test" }) });
  const metrics = createMetrics();
  const cache = createCache({ client, clock: { ...clock, random: () => 0.5 }, log: silentLogger, metrics });
  const stop = new AbortController();
  const first = server.put(object("a", 1, { tier: "gold" }));
  const informer = cache.informer(Bucket, options);
  const ended = cache.start(stop.signal);
  await clock.advance("20s");
  server.silence();
  let liveReads = 0;
  transport.on({ path: `${path}/a` }, () => {
    liveReads += 1;
    const found = server.objects.find(({ metadata }) => metadata.name === "a");
    if (found !== undefined) return { body: found };
    return { status: 404, body: { kind: "Status", reason: "NotFound", code: 404, message: "not found" } };
  });
  transport.on({ path }, () => {
    liveReads += 1;
    return { body: { items: server.objects } };
  });
  const ownWrites = createReadYourWrites(cache, { clock, live: client, metrics });
  return {
    ...ownWrites,
    clock,
    server,
    transport,
    cache,
    informer,
    first,
    metrics,
    /** The watch is cut, and the next one brings what was missed. */
    async catchUp(): Promise<void> {
      server.cut();
      await clock.settle();
    },
    get liveReads() {
      return liveReads;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort();
      await ended;
      await client[Symbol.asyncDispose]();
      assert.equal(clock.pendingTimers, 0);
    },
  };
}

/** What a promise has come to when nothing more happens without time. */
async function now<T>(clock: VirtualClock, work: Promise<T>): Promise<T | "waits"> {
  const waits = "waits" as const;
  return Promise.race([work, clock.settle().then(() => waits)]);
}

// Promise 9
test("read waits until the cache has seen the version that was written", async () => {
  await using stage = await setUp();
  const { reads, onWrite, clock, server } = stage;
  onWrite(server.put(object("a", 2)), "written");
  const got = reads.get(Bucket, key);
  const found = reads.find(Bucket, key);
  const listed = reads.list(Bucket);
  for (const read of [got, found, listed]) assert.equal(await now<unknown>(clock, read), "waits");
  await stage.catchUp();
  assert.equal((await got).spec?.size, 2);
  assert.equal((await found)?.spec?.size, 2);
  assert.deepEqual(
    (await listed).map(({ spec }) => spec?.size),
    [2],
  );
  assert.equal(stage.liveReads, 0);
});

// Promise 9
test("read of another object, of another namespace, or after the write was seen does not wait", async () => {
  await using stage = await setUp();
  const { reads, onWrite, clock, server } = stage;
  server.put({ ...object("b", 1), metadata: { namespace: "z", name: "b" } });
  await stage.catchUp();
  server.silence();
  onWrite(server.put(object("a", 2)), "written");
  assert.equal((await reads.get(Bucket, { namespace: "z", name: "b" })).metadata.name, "b");
  assert.equal((await reads.list(Bucket, { namespace: "z" })).length, 1);
  assert.equal(await now(clock, reads.list(Bucket, { namespace: "a" })), "waits");
  await stage.catchUp();
  server.silence();
  assert.equal((await reads.get(Bucket, key)).spec?.size, 2);
});

// Promise 9
test("read goes to the server, once and counted, when the cache has not caught up in 5 s", async () => {
  await using stage = await setUp({ transform: ({ spec: _, ...rest }) => rest });
  const { reads, onWrite, clock, server, metrics } = stage;
  onWrite(server.put(object("a", 2)), "written");
  const read = reads.get(Bucket, key);
  const listed = reads.list(Bucket, { namespace: "a" });
  await clock.advance(4_999);
  assert.equal(await now(clock, read), "waits");
  assert.equal(stage.liveReads, 0);
  await clock.advance(1);
  const { metadata, ...rest } = await read;
  assert.equal(metadata.resourceVersion, String(server.version));
  assert.ok(Object.isFrozen(metadata));
  assert.equal("spec" in rest, false);
  assert.equal((await listed).length, 1);
  assert.equal(stage.liveReads, 2);
  const text = (await metrics.expose()).body;
  assert.match(text, new RegExp(`farwatch_cache_live_reads_total\\{resource="${groupResource(Bucket)}"\\} 2`));
  // From then on it asks without waiting, until the cache has caught up.
  assert.notEqual(await now(clock, reads.get(Bucket, key)), "waits");
  assert.equal(stage.liveReads, 3);
  await stage.catchUp();
  await reads.get(Bucket, key);
  assert.equal(stage.liveReads, 3);
});

// Promise 9
test("read waits for the deletion, seen by its event or by a list", async () => {
  for (const version of ["", "101"]) {
    await using stage = await setUp();
    const { reads, onWrite, clock, server, first } = stage;
    server.remove(key);
    onWrite({ ...first, metadata: { ...first.metadata, resourceVersion: version } }, "deleted");
    const read = reads.find(Bucket, key);
    assert.equal(await now(clock, read), "waits");
    if (version === "") server.compact();
    await stage.catchUp();
    await clock.advance("3s");
    assert.equal(await read, undefined);
    assert.equal(stage.liveReads, 0);
  }
});

// Promise 9
test("read after a deletion that was seen already does not wait, though the server told no version", async () => {
  await using stage = await setUp();
  const { reads, onWrite, server, first } = stage;
  server.remove(key);
  await stage.catchUp();
  server.silence();
  onWrite({ ...first, metadata: { ...first.metadata, resourceVersion: "" } }, "deleted");
  assert.equal(await reads.find(Bucket, key), undefined);
  assert.equal(stage.liveReads, 0);
});

// Promise 9
test("read after a create and a delete shows no object that comes and goes", async () => {
  await using stage = await setUp();
  const { reads, onWrite, clock, server } = stage;
  const written = server.put(object("b", 1));
  onWrite(written, "written");
  server.remove(written.metadata as { name: string });
  onWrite({ ...written, metadata: { ...written.metadata, resourceVersion: "" } }, "deleted");
  const read = reads.find(Bucket, { namespace: "a", name: "b" });
  assert.equal(await now(clock, read), "waits");
  await stage.catchUp();
  assert.equal(await read, undefined);
});

// Promise 9
test("read after a recreation waits for the new object", async () => {
  await using stage = await setUp();
  const { reads, onWrite, clock, server } = stage;
  server.remove(key);
  onWrite(server.put(object("a", 5)), "written");
  const read = reads.get(Bucket, key);
  assert.equal(await now(clock, read), "waits");
  await stage.catchUp();
  assert.equal((await read).metadata.uid, "uid-2");
});

// B84
// Promise 9
test("write whose answer comes later than its event makes no read wait", async () => {
  await using stage = await setUp();
  const { reads, onWrite, server } = stage;
  const late = server.put(object("a", 2));
  server.put(object("a", 3));
  await stage.catchUp();
  server.silence();
  onWrite(late, "written");
  assert.equal((await reads.get(Bucket, key)).spec?.size, 3);
  server.remove(key);
  await stage.catchUp();
  server.silence();
  onWrite(late, "written");
  assert.equal(await reads.find(Bucket, key), undefined);
  assert.equal(stage.liveReads, 0);
});

test("write of an object that the cache does not select makes no read wait, one that leaves it does", async () => {
  await using stage = await setUp({ labels: { tier: "gold" } });
  const { onWrite, server, informer, cache } = stage;
  const [{ watermark }] = cache.informersOf(Bucket) as unknown as [
    { watermark: { after: (o: KubeObject, c: "written") => () => boolean } },
  ];
  assert.equal(watermark.after(server.put(object("b", 1, { tier: "tin" })), "written")(), true);
  const leaves = watermark.after(server.put(object("a", 1, { tier: "tin" })), "written");
  assert.equal(leaves(), false);
  await stage.catchUp();
  assert.equal(leaves(), true);
  assert.equal(informer.size, 0);
  onWrite(server.put(object("c", 1)), "written");
});

test("read rejects with its signal's reason while it waits, and leaves nothing behind", async () => {
  await using stage = await setUp();
  const { reads, onWrite, clock, server } = stage;
  onWrite(server.put(object("a", 2)), "written");
  const before = clock.pendingTimers;
  const stop = new AbortController();
  const read = reads.get(Bucket, key, { signal: stop.signal });
  await clock.settle();
  assert.equal(clock.pendingTimers, before + 1);
  stop.abort(new Error("enough"));
  await assert.rejects(read, /enough/);
  assert.equal(clock.pendingTimers, before);
  await assert.rejects(reads.get(Bucket, key, { signal: stop.signal }), /enough/);
});

test("live read asks the server at once, and an undeclared kind is refused as by the cache", async () => {
  await using stage = await setUp();
  const { reads, onWrite, server } = stage;
  onWrite(server.put(object("a", 2)), "written");
  assert.equal((await reads.get(Bucket, key, { live: true })).spec?.size, 2);
  assert.equal(stage.liveReads, 1);
  onWrite({ apiVersion: "v1", kind: "ConfigMap", metadata: { ...key, uid: "u", resourceVersion: "1" } }, "written");
  await assert.rejects(reads.get(ConfigMap, key), { code: "NotCached" });
});

test("list by index that goes to the server is filtered by the same index", async () => {
  await using stage = await setUp({ indexes: { size: ({ spec }) => [String(spec?.size)] } });
  const { reads, onWrite, clock, server } = stage;
  server.put(object("b", 2));
  onWrite(server.put(object("a", 3)), "written");
  const lists = ["2", "3", "1"].map((size) => reads.list(Bucket, { namespace: "a", index: ["size", size] }));
  const wrong = assert.rejects(reads.list(Bucket, { namespace: "a", index: ["colour", "red"] }), {
    code: "InvalidOption",
  });
  await clock.advance("5s");
  await wrong;
  const names = (await Promise.all(lists)).map((each) => each.map(({ metadata }) => metadata.name));
  assert.deepEqual(names, [["b"], ["a"], []]);
});

test("known object is what the cache has, unless an own write of it was not seen", async () => {
  await using stage = await setUp();
  const { known, onWrite, server, first } = stage;
  assert.deepEqual(known(first), first);
  onWrite(server.put(object("a", 2)), "written");
  assert.equal(known(first), undefined);
  await stage.catchUp();
  assert.equal((known(first) as Bucket | undefined)?.spec?.size, 2);
  assert.equal(known({ ...first, kind: "Other" }), undefined);
  await using shaped = await setUp({ transform: (each) => ({ ...each, spec: {} }) });
  assert.equal(shaped.known(shaped.first), undefined);
});
