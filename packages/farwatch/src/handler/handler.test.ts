import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedCache, type ScriptedCache } from "../doubles/scripted-cache.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import type { Enqueued } from "../event/request.ts";
import type { SourceEvent } from "../event/source-event.ts";
import { silentLogger } from "../observe/logger.ts";
import { createWorkQueue } from "../queue/create-work-queue.ts";
import { defineBuiltin } from "../resource/define-builtin.ts";
import type { Resource } from "../resource/resource.ts";
import { phaseOf } from "../source/phase.ts";
import type { Context } from "../source/source.ts";
import { type KubeObject, keyOf, type ObjectMeta, type OwnerReference } from "../wire/object.ts";
import { enqueueAll } from "./enqueue-all.ts";
import { enqueueRequestForObject } from "./enqueue-request-for-object.ts";
import { enqueueRequestForOwner } from "./enqueue-request-for-owner.ts";
import { enqueueRequestsFromMapFunc } from "./enqueue-requests-from-map-func.ts";
import type { EventHandler } from "./event-handler.ts";

const Bucket: Resource<KubeObject> = defineBuiltin({ group: "example.farwatch.dev", version: "v1", kind: "Bucket" });

function bucket(name: string, metadata: Partial<ObjectMeta> = {}): KubeObject {
  return {
    apiVersion: Bucket.apiVersion,
    kind: Bucket.kind,
    metadata: { namespace: "ns", name, uid: `uid-${name}`, resourceVersion: "1", ...metadata },
  };
}

function contextWith(parts: Partial<Context> = {}): Context {
  const signal = new AbortController().signal;
  return { signal, clock: createVirtualClock(), log: silentLogger, cache: createScriptedCache(), ...parts };
}

function cacheOf(...names: readonly string[]): ScriptedCache {
  const cache = createScriptedCache();
  for (const name of names) cache.put(Bucket, bucket(name));
  return cache;
}

async function requests<T>(handler: EventHandler<T>, event: SourceEvent<T>, ctx = contextWith()): Promise<Enqueued[]> {
  return [...(await handler(event, ctx))];
}

const generic = <T>(object: T): SourceEvent<T> => ({ type: "generic", object });
const tick = generic<unknown>(undefined);

test("enqueueRequestForObject asks for the object of the event, with its namespace if it has one", async () => {
  assert.deepEqual(await requests(enqueueRequestForObject, generic(bucket("a"))), [{ namespace: "ns", name: "a" }]);
  const { namespace: _, ...metadata } = bucket("node").metadata;
  assert.deepEqual(await requests(enqueueRequestForObject, generic({ ...bucket("node"), metadata })), [
    { name: "node" },
  ]);
});

// B72
test("enqueueRequestForObject makes one warning and no request of an event without object", async () => {
  for (const empty of [undefined, null, {}, { at: 1 }, { metadata: {} }]) {
    const log = createRecordingLogger();
    // Types rule this out; a channel that plain JavaScript feeds does not.
    const event = generic(empty) as unknown as SourceEvent<KubeObject>;
    assert.deepEqual(await requests(enqueueRequestForObject, event, contextWith({ log })), []);
    const said = log.lines.map(({ level, message }) => `${level} ${message}`);
    assert.deepEqual(said, [
      "warn Event carries no Kubernetes object: map it with enqueueRequestsFromMapFunc or enqueueAll",
    ]);
  }
});

function owned(...ownerReferences: readonly OwnerReference[]): KubeObject {
  return bucket("owned", { ownerReferences });
}

function reference(name: string, parts: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: Bucket.apiVersion, kind: Bucket.kind, name, uid: `uid-${name}`, controller: true, ...parts };
}

test("enqueueRequestForOwner asks for the controller of the object, by group and kind, whatever the version", async () => {
  const handler = enqueueRequestForOwner(Bucket);
  assert.deepEqual(await requests(handler, generic(owned(reference("a")))), [{ namespace: "ns", name: "a" }]);
  assert.deepEqual(
    await requests(handler, generic(owned(reference("a", { apiVersion: "example.farwatch.dev/v1alpha1" })))),
    [{ namespace: "ns", name: "a" }],
  );
  for (const other of [
    reference("a", { apiVersion: "other.dev/v1" }),
    reference("a", { apiVersion: "v1" }),
    reference("a", { kind: "Pod" }),
    reference("a", { controller: false }),
  ]) {
    assert.deepEqual(await requests(handler, generic(owned(other))), []);
  }
  assert.deepEqual(await requests(handler, generic(bucket("orphan"))), []);
});

test("enqueueRequestForOwner asks for every owner when it is told to, each once", async () => {
  const { controller: _, ...plain } = reference("b");
  assert.deepEqual(
    await requests(
      enqueueRequestForOwner(Bucket, { onlyController: false }),
      generic(owned(reference("a"), plain, plain)),
    ),
    [
      { namespace: "ns", name: "a" },
      { namespace: "ns", name: "b" },
    ],
  );
});

test("enqueueRequestForOwner asks for the old and the new owner when an update changes it", async () => {
  const event: SourceEvent<KubeObject> = {
    type: "update",
    oldObject: owned(reference("a")),
    object: owned(reference("b")),
  };
  assert.deepEqual(await requests(enqueueRequestForOwner(Bucket), event), [
    { namespace: "ns", name: "b" },
    { namespace: "ns", name: "a" },
  ]);
});

test("enqueueRequestForOwner knows that a cluster-scoped owner has no namespace, and that it cannot be owned by a namespaced one", async () => {
  const Cluster: Resource<KubeObject> = { ...Bucket, scope: "Cluster" };
  assert.deepEqual(await requests(enqueueRequestForOwner(Cluster), generic(owned(reference("a")))), [{ name: "a" }]);
  const { namespace: _, ...metadata } = owned(reference("a")).metadata;
  assert.deepEqual(await requests(enqueueRequestForOwner(Bucket), generic({ ...owned(), metadata })), []);
});

test("enqueueRequestForOwner knows the core group by a version without a slash", async () => {
  const Pod: Resource<KubeObject> = {
    ...Bucket,
    group: "",
    version: "v1",
    apiVersion: "v1",
    kind: "Pod",
    plural: "pods",
  };
  const event = generic(owned(reference("p", { apiVersion: "v1", kind: "Pod" })));
  assert.deepEqual(await requests(enqueueRequestForOwner(Pod), event), [{ namespace: "ns", name: "p" }]);
});

test("enqueueRequestsFromMapFunc maps the object of an event, and waits when the function does", async () => {
  const now = enqueueRequestsFromMapFunc((name: string) => [{ name }]);
  const later = enqueueRequestsFromMapFunc(async (name: string) => new Set([{ name }]));
  for (const handler of [now, later]) assert.deepEqual(await requests(handler, generic("a")), [{ name: "a" }]);
  assert.equal(now(generic("a"), contextWith()) instanceof Promise, false, "nothing waits that need not");
});

test("enqueueRequestsFromMapFunc maps new and old state of an update and merges the requests", async () => {
  const calls: unknown[] = [];
  const targets = (object: string): readonly Enqueued[] => [...object].map((name) => ({ name, after: object.length }));
  const now = enqueueRequestsFromMapFunc((object: string, _ctx, oldObject) => {
    calls.push([object, oldObject]);
    return targets(object);
  });
  const later = enqueueRequestsFromMapFunc(async (object: string) => targets(object));
  const mixed = enqueueRequestsFromMapFunc((object: string) => {
    const found = targets(object);
    return object === "ab" ? found : Promise.resolve(found);
  });
  for (const handler of [now, later, mixed]) {
    assert.deepEqual(await requests(handler, { type: "update", oldObject: "ab", object: "bcd" }), [
      { name: "b", after: 2 },
      { name: "c", after: 3 },
      { name: "d", after: 3 },
      { name: "a", after: 2 },
    ]);
  }
  assert.deepEqual(calls, [
    ["bcd", "ab"],
    ["ab", undefined],
  ]);
});

test("enqueueRequestsFromMapFunc takes the earlier time and the higher lane of two requests for one object", async () => {
  const handler = enqueueRequestsFromMapFunc((object: Enqueued) => [object]);
  const merged = async (oldObject: Partial<Enqueued>, object: Partial<Enqueued>) => {
    const [request] = await requests(handler, {
      type: "update",
      oldObject: { name: "a", ...oldObject },
      object: { name: "a", ...object },
    });
    return [request?.after, request?.priority];
  };
  assert.deepEqual(await merged({ after: "1m", priority: 5 }, { after: "2m", priority: 1 }), ["1m", 5]);
  assert.deepEqual(await merged({ after: "1m" }, { priority: 1 }), [undefined, 1]);
  assert.deepEqual(await merged({ priority: 1 }, { after: "1m" }), [undefined, 1]);
});

test("enqueueRequestsFromMapFunc waits for promises that are none of Node's", async () => {
  // biome-ignore lint/suspicious/noThenProperty: as libraries with promises of their own have it.
  const map = (name: string): unknown => ({ then: (resolve: (given: Enqueued[]) => void) => resolve([{ name }]) });
  const handler = enqueueRequestsFromMapFunc(map as unknown as (name: string) => Enqueued[]);
  const update = { type: "update", oldObject: "a", object: "b" } as const;
  assert.deepEqual(await requests(handler, generic("a")), [{ name: "a" }]);
  assert.deepEqual(await requests(handler, update), [{ name: "b" }, { name: "a" }]);
});

test("enqueueRequestsFromMapFunc fails once when mapping fails", async () => {
  const handler = enqueueRequestsFromMapFunc((object: string) => {
    if (object === "old") throw new Error("no");
    return Promise.reject(new Error("never"));
  });
  await assert.rejects(requests(handler, { type: "update", oldObject: "old", object: "new" }), /never/);
});

// B72
test("enqueueAll asks for every object of the kind, once each, of whatever event", async () => {
  const ctx = contextWith({ cache: cacheOf("a", "b", "c") });
  assert.deepEqual(await requests(enqueueAll(Bucket), tick, ctx), [
    { namespace: "ns", name: "a" },
    { namespace: "ns", name: "b" },
    { namespace: "ns", name: "c" },
  ]);
});

// B72
test("enqueueAll of five ticks during one slow run leaves each key pending once", async () => {
  const clock = createVirtualClock();
  const ctx = contextWith({ clock, cache: cacheOf("a", "b", "c") });
  const queue = createWorkQueue({ clock });
  const mapTick = async (): Promise<void> => {
    for (const request of await requests(enqueueAll(Bucket), tick, ctx)) queue.add(request);
  };
  await mapTick();
  const slow = await queue.next();
  for (let ticks = 0; ticks < 5; ticks += 1) await mapTick();
  assert.equal(queue.depth, 2);
  assert.ok(slow);
  queue.finish(slow, { type: "done" });
  assert.equal(queue.depth, 3);
});

test("enqueueAll asks only for objects of its labels and namespace", async () => {
  const cache = cacheOf("a");
  cache.put(Bucket, bucket("b", { labels: { tier: "gold" } }));
  cache.put(Bucket, bucket("c", { namespace: "other", labels: { tier: "gold" } }));
  const ctx = contextWith({ cache });
  assert.deepEqual(await requests(enqueueAll(Bucket, { labels: { tier: "gold" }, namespace: "ns" }), tick, ctx), [
    { namespace: "ns", name: "b" },
  ]);
});

// B72
test("enqueueAll waits for a cache that has no whole list yet, instead of asking for nothing", async () => {
  const cache = createScriptedCache({ synced: false });
  cache.informer(Bucket);
  let asked: Enqueued[] | undefined;
  const asking = requests(enqueueAll({ ...Bucket }), tick, contextWith({ cache })).then((found) => {
    asked = found;
  });
  await createVirtualClock().settle();
  assert.equal(asked, undefined);
  cache.put(Bucket, bucket("a"));
  cache.sync();
  await asking;
  assert.deepEqual(asked, [{ namespace: "ns", name: "a" }]);
});

test("enqueueAll ends its wait for the cache with the reason of the signal", async () => {
  const cache = createScriptedCache({ synced: false });
  cache.informer(Bucket);
  const controller = new AbortController();
  const asking = requests(enqueueAll(Bucket), tick, contextWith({ cache, signal: controller.signal }));
  controller.abort("stop");
  await assert.rejects(asking, (reason) => reason === "stop");
});

test("enqueueAll refuses a kind that is not cached", async () => {
  await assert.rejects(requests(enqueueAll(Bucket), tick), (error) => isCodedError(error, "NotCached"));
});

// B17
test("enqueueAll with spread gives each object its own place in the interval, the same from event to event", async () => {
  const names = Array.from({ length: 500 }, (_, index) => `b${index}`);
  const ctx = contextWith({ cache: cacheOf(...names) });
  const handler = enqueueAll(Bucket, { spread: "5m" });
  const first = await requests(handler, tick, ctx);
  assert.deepEqual(await requests(handler, tick, ctx), first);
  const perMinute = new Array<number>(5).fill(0);
  for (const { name, after } of first) {
    assert.equal(after, phaseOf(`uid-${name}`, 300_000));
    const minute = Math.floor(Number(after) / 60_000);
    perMinute[minute] = (perMinute[minute] ?? 0) + 1;
  }
  for (const count of perMinute) assert.ok(count > 70 && count < 130, `${count} of 500 in a minute of five`);
});

test("enqueueAll of what keyOf says is what a map function would ask for", async () => {
  const ctx = contextWith({ cache: cacheOf("a", "b") });
  const byHand = enqueueRequestsFromMapFunc(async (_: unknown, { cache }) => (await cache.list(Bucket)).map(keyOf));
  assert.deepEqual(await requests(enqueueAll(Bucket), tick, ctx), await requests(byHand, tick, ctx));
});
