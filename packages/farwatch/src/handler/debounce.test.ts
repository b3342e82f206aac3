import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedCache } from "../doubles/scripted-cache.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import type { Enqueued } from "../event/request.ts";
import type { SourceEvent } from "../event/source-event.ts";
import { createChannel } from "../flow/channel.ts";
import { untilAborted } from "../flow/until-aborted.ts";
import { silentLogger } from "../observe/logger.ts";
import { createWorkQueue } from "../queue/create-work-queue.ts";
import { defineBuiltin } from "../resource/define-builtin.ts";
import type { CustomObject, Resource } from "../resource/resource.ts";
import { channelSource } from "../source/channel-source.ts";
import { kindSource } from "../source/kind-source.ts";
import { opened, pushed, readAll, type Settled, setUp } from "../source/pushed-source.fixture.ts";
import type { Source } from "../source/source.ts";
import { tickerSource } from "../source/ticker-source.ts";
import { type DebounceOptions, debounce } from "./debounce.ts";
import { enqueueRequestForObject } from "./enqueue-request-for-object.ts";
import type { EventHandler } from "./event-handler.ts";

type Bucket = CustomObject<{ readonly size: number }, { readonly n: number }>;
const Bucket: Resource<Bucket> = defineBuiltin({
  group: "example.farwatch.dev",
  version: "v1",
  kind: "Bucket",
  subresources: ["status"],
});

let version = 0;
function bucket(name: string, size: number, n = 0): Bucket {
  version += 1;
  return {
    apiVersion: Bucket.apiVersion,
    kind: Bucket.kind,
    metadata: { namespace: "ns", name, uid: `uid-${name}`, resourceVersion: String(version), generation: size },
    spec: { size },
    status: { n },
  };
}

/** A debounced source in virtual time: what comes through it, and after how many seconds. */
function debounced<T>(source: Source<T>, options: DebounceOptions<T>, describe: (event: SourceEvent<T>) => string) {
  const env = setUp();
  const watch = env.hub.subscribe(debounce(source, options), { name: "w" });
  const { told, leave } = readAll(watch, (event) => `${env.clock.elapsed() / 1_000}: ${describe(event)}`);
  return {
    ...env,
    told,
    lead: () => opened(env),
    async leave(): Promise<void> {
      await leave();
      assert.equal(env.clock.pendingTimers, 0);
    },
  };
}

const object = ({ object }: SourceEvent<string>): string => object;
/** All are one. */
const one = (): string => "";
const firstLetter = (text: string): string => text.slice(0, 1);

test("debounced source makes one event of a burst, when it is quiet, with the last of them", async () => {
  const source = channelSource<string>();
  const run = debounced(source, { wait: "2s", key: one }, object);
  const term = run.lead();
  await run.clock.settle();
  for (const text of ["a", "b", "c"]) {
    await source.send(text);
    await run.clock.advance("1s");
  }
  await run.clock.advance("10s");
  await source.send("d");
  await run.clock.advance("2s");
  assert.deepEqual(run.told, ["4: c", "15: d"]);
  await term.close();
  await run.leave();
});

test("debounced source holds an event no longer than maxWait, however many come", async () => {
  const source = channelSource<number>();
  const run = debounced(source, { wait: "2s", maxWait: "5s", key: one }, ({ object: n }) => String(n));
  const term = run.lead();
  await run.clock.settle();
  for (let n = 1; n <= 12; n += 1) {
    await source.send(n);
    await run.clock.advance("1s");
  }
  await run.clock.advance("10s");
  assert.deepEqual(run.told, ["5: 5", "10: 10", "13: 12"]);
  await term.close();
  await run.leave();
});

test("debounced source keeps keys apart", async () => {
  const source = channelSource<string>();
  const run = debounced(source, { wait: "2s", key: firstLetter }, object);
  const term = run.lead();
  await run.clock.settle();
  await source.send("a1");
  await run.clock.advance("1s");
  for (const text of ["b1", "a2"]) await source.send(text);
  await run.clock.advance("1s");
  await source.send("a3");
  await run.clock.advance("10s");
  assert.deepEqual(run.told, ["3: b1", "4: a3"]);
  await term.close();
  await run.leave();
});

test("debounced source without a key merges what its source would, and nothing else that is no Kubernetes object", async () => {
  const ticks = debounced(tickerSource({ every: "1s" }), { wait: "2s", maxWait: "5s" }, () => "tick");
  const ticking = ticks.lead();
  await ticks.clock.advance("13s");
  assert.deepEqual(ticks.told, ["6: tick", "12: tick"]);
  await ticking.close();
  await ticks.leave();

  const source = channelSource<string>();
  const run = debounced(source, { wait: "2s" }, object);
  const term = run.lead();
  await run.clock.settle();
  for (const text of ["a", "b", "a"]) await source.send(text);
  await run.clock.advance("1m");
  assert.deepEqual(run.told, ["2: a", "2: b", "2: a"]);
  await term.close();
  await run.leave();
});

test("debounced source delivers what its source cannot tell the size of", async () => {
  const { source, push } = pushed({ bytesOf: () => Number.NaN });
  const run = debounced(source, { wait: "2s", key: one }, object);
  const term = run.lead();
  push("a", "b");
  await run.clock.advance("2s");
  push("c");
  await run.clock.advance("10s");
  assert.deepEqual(run.told, ["2: b", "4: c"]);
  await term.close();
  await run.leave();
});

test("debounced source lets creates, changed specs and deletions pass at once, with what waits of their object", async () => {
  const source = kindSource(Bucket);
  const run = debounced(source, { wait: "5s" }, (event) => {
    const { metadata, spec, status } = event.object;
    const from = event.type === "update" ? ` from ${event.oldObject.status?.n}` : "";
    return `${event.type} ${metadata.name} size ${spec.size} n ${status?.n}${from}`;
  });
  const term = run.lead();
  run.cache.put(Bucket, bucket("a", 1));
  await run.clock.settle();
  assert.deepEqual(run.told.splice(0), ["0: create a size 1 n 0"]);
  for (const n of [1, 2, 3]) {
    run.cache.put(Bucket, bucket("a", 1, n));
    await run.clock.advance("1s");
  }
  assert.deepEqual(run.told, []);
  run.cache.put(Bucket, bucket("a", 2, 3));
  await run.clock.settle();
  assert.deepEqual(run.told.splice(0), ["3: update a size 2 n 3 from 0"]);
  run.cache.put(Bucket, bucket("a", 2, 4));
  await run.clock.settle();
  run.cache.remove(Bucket, { namespace: "ns", name: "a" });
  await run.clock.settle();
  assert.deepEqual(run.told.splice(0), ["3: delete a size 2 n 4"]);
  await run.clock.advance("1m");
  assert.deepEqual(run.told, []);
  run.cache.put(Bucket, bucket("b", 1));
  run.cache.put(Bucket, bucket("b", 1, 1));
  await run.clock.advance("1m");
  assert.equal(run.told.length, 1, "a create that merged with its update passes too");
  await term.close();
  await run.leave();
});

test("debounced source settles what it merged with what came of it", async () => {
  const acks: Settled[] = [];
  const origin = pushed({ acks });
  const run = debounced(origin.source, { wait: "2s", key: firstLetter }, object);
  const term = run.lead();
  origin.push("a1", "b1", "a2", "a3");
  await run.clock.advance("1s");
  assert.deepEqual([run.told, acks], [[], []]);
  await run.clock.advance("1s");
  assert.deepEqual(run.told, ["2: b1", "2: a3"]);
  assert.deepEqual(acks, [
    ["done", "b1"],
    ["done", "a1"],
    ["done", "a2"],
    ["done", "a3"],
  ]);
  await term.close();
  await run.leave();
});

// Promise 4
for (const [how, settle] of [
  ["throws", (): never => assert.fail("broker gone")],
  ["rejects", async (): Promise<never> => assert.fail("broker gone")],
] as const) {
  test(`debounced source survives acknowledgements of which one ${how}, settles the others, and counts it`, async () => {
    const settled: string[] = [];
    const note = (what: string) => () => {
      settled.push(what);
    };
    const origin = pushed({
      ends: true,
      durability: "origin",
      async *events({ signal }) {
        yield { type: "generic", object: "a", ack: { done: settle, retry: settle } };
        yield { type: "generic", object: "b", ack: { done: note("done"), retry: note("retry") } };
        await untilAborted(signal);
      },
    });
    for (const advance of ["2s", "1s"] as const) {
      const run = debounced(origin.source, { wait: "2s", key: one }, object);
      const term = run.lead();
      await run.clock.advance(advance);
      await term.close();
      await run.leave();
      const errors = run.metrics.counter({
        name: "farwatch_source_acknowledgement_errors_total",
        help: "",
        labelNames: ["source"],
      });
      assert.equal(errors.read({ source: "pushed" }), 1);
    }
    assert.deepEqual(settled, ["done", "retry"]);
  });
}

test("debounced source gives what waits back to its origin when it is closed, each once", async () => {
  const acks: Settled[] = [];
  const origin = pushed({ acks });
  const run = debounced(origin.source, { wait: "2s", key: firstLetter }, object);
  const term = run.lead();
  origin.push("a1", "b1", "a2");
  await run.clock.advance("1s");
  await term.close();
  assert.deepEqual(acks.toSorted(), [
    ["retry", "a1"],
    ["retry", "a2"],
    ["retry", "b1"],
  ]);
  assert.deepEqual(run.told, []);
  await run.leave();
});

// Promise 1
test("debounced source keeps what waits over changes of leader and failures, when nobody else would deliver it again", async () => {
  const origin = pushed();
  const run = debounced(origin.source, { wait: "2s", key: firstLetter }, object);
  let term = run.lead();
  origin.push("a1", "b1");
  await run.clock.advance("1s");
  await term.close();
  await run.clock.advance("1m");
  term = run.lead();
  await run.clock.settle();
  assert.deepEqual(run.told.splice(0), ["61: a1", "61: b1"]);
  origin.push("c1");
  origin.fail("broken");
  await run.clock.advance("5s");
  assert.equal(run.hub.states[0]?.restarts, 1);
  assert.equal(run.told.length, 1, "c1");
  await term.close();
  await run.leave();
});

test("debounced source drops what waits of a source that tells all anew", async () => {
  const origin = pushed({ restates: true });
  const run = debounced(origin.source, { wait: "2s", key: one }, object);
  let term = run.lead();
  origin.push("a1");
  await run.clock.advance("1s");
  await term.close();
  term = run.lead();
  await run.clock.advance("1m");
  assert.deepEqual(run.told, []);
  await term.close();
  await run.leave();
});

test("debounced source that ends hands on what waits, and has ended", async () => {
  const origin = pushed({ ends: true });
  const run = debounced(origin.source, { wait: "1h", key: firstLetter }, object);
  const term = run.lead();
  origin.push("a1", "b1", "a2");
  origin.end();
  await run.clock.settle();
  assert.deepEqual(run.told, ["0: b1", "0: a2"]);
  assert.equal(run.hub.states[0]?.phase, "ended");
  await term.close();
  await run.leave();
});

test("debounced source is bounded: keys beyond its capacity, events beyond maxUnacknowledged, and bytes do not wait", async () => {
  const many = pushed();
  const byCapacity = debounced(many.source, { wait: "1h", capacity: 3, key: (text) => text }, object);
  const first = byCapacity.lead();
  for (let n = 0; n < 1_000; n += 1) many.push(`k${n}`);
  await byCapacity.clock.settle();
  assert.deepEqual(byCapacity.told.slice(0, 2), ["0: k0", "0: k1"]);
  assert.equal(byCapacity.told.length, 997);
  await first.close();
  await byCapacity.leave();

  const acks: Settled[] = [];
  const origin = pushed({ acks, maxUnacknowledged: 10 });
  const byAcks = debounced(origin.source, { wait: "1h", key: one }, object);
  const second = byAcks.lead();
  for (let n = 0; n < 100; n += 1) origin.push(`k${n}`);
  await byAcks.clock.settle();
  assert.equal(byAcks.told.length, 10, "each stands for ten");
  assert.equal(acks.length, 100);
  await second.close();
  await byAcks.leave();

  const large = pushed({ maxUnacknowledgedBytes: 1_000, bytesOf: ({ length }) => length });
  const byBytes = debounced(large.source, { wait: "1h", key: (text) => text }, object);
  const third = byBytes.lead();
  for (let n = 0; n < 100; n += 1) large.push(`${n}`.padStart(100));
  for (let n = 0; n < 100; n += 1) large.push(`${n}`.padStart(100));
  await byBytes.clock.settle();
  assert.equal(byBytes.told.length, 191, "nine of a hundred bytes wait");
  await third.close();
  await byBytes.leave();
});

test("debounced source is read no faster than it is", async () => {
  const origin = pushed({ capacity: 1 });
  const env = setUp();
  const source = debounce({ ...origin.source, maxUnacknowledged: 2 }, { wait: "1s", key: (text: string) => text });
  const subscription = env.hub.subscribe(source, { name: "w" });
  const term = opened(env);
  for (let n = 0; n < 100; n += 1) origin.push(`k${n}`);
  await env.clock.advance("1m");
  const readAhead = origin.read.length;
  await env.clock.advance("1h");
  assert.equal(origin.read.length, readAhead, "nothing more is read while nothing is worked on");
  await term.close();
  await subscription[Symbol.asyncDispose]();
});

test("debounced source lets an event of which nothing can be told go on alone, and logs it", async () => {
  const origin = pushed();
  const run = debounced(
    origin.source,
    {
      wait: "1h",
      key(text) {
        if (text === "odd") throw new Error("no key");
        return text;
      },
    },
    object,
  );
  const term = run.lead();
  origin.push("a", "odd", "odd");
  await run.clock.settle();
  assert.deepEqual(run.told, ["0: odd", "0: odd"]);
  assert.equal(run.log.lines.filter(({ level }) => level === "error").length, 2);
  await term.close();
  await run.leave();
});

test("debounced source has the name, the declarations and the promises of its source", () => {
  const source: Source<string> = {
    name: "inner",
    numbered: true,
    delivery: "atLeastOnce",
    durability: "origin",
    overflow: "dropOldest",
    capacity: 7,
    maxUnacknowledged: 8,
    maxUnacknowledgedBytes: 9,
    bytesOf: ({ length }) => length,
    needLeaderElection: false,
    ends: true,
    critical: true,
    restates: true,
    connects: true,
    caches: [Bucket],
    deliver: "annotate",
    annotates: { resource: Bucket, namespace: "ns", name: "all" },
    declare: () => ({ [Symbol.dispose]() {} }),
    async *events() {},
  };
  const { events: _, declare, bytesOf, ...rest } = debounce(source, { wait: "1s" });
  const { events: _events, declare: _declare, bytesOf: _bytesOf, ...expected } = source;
  assert.deepEqual(rest, expected);
  assert.equal(bytesOf?.("abc"), 3);
  assert.equal(typeof declare, "function");
  const named = debounce(source, { wait: "1s", name: "calm" });
  assert.deepEqual([named.name, named.numbered], ["calm", false]);
});

async function requests<T>(handler: EventHandler<T>, event: SourceEvent<T>): Promise<readonly Enqueued[]> {
  const ctx = {
    signal: new AbortController().signal,
    clock: createVirtualClock(),
    log: silentLogger,
    cache: createScriptedCache(),
  };
  return [...(await handler(event, ctx))];
}

test("debounced handler asks later, but for deletions, creates and changed specs", async () => {
  const handler = debounce(enqueueRequestForObject, { wait: "2s" });
  const key = { namespace: "ns", name: "a" };
  const before = bucket("a", 1, 1);
  assert.deepEqual(await requests(handler, { type: "update", oldObject: before, object: bucket("a", 1, 2) }), [
    { ...key, after: 2_000 },
  ]);
  assert.deepEqual(await requests(handler, { type: "generic", object: before }), [{ ...key, after: 2_000 }]);
  assert.deepEqual(await requests(handler, { type: "update", oldObject: before, object: bucket("a", 2, 1) }), [key]);
  assert.deepEqual(await requests(handler, { type: "create", object: before, inInitialList: true }), [key]);
  assert.deepEqual(await requests(handler, { type: "delete", object: before, stateUnknown: false }), [key]);
  const asked = { ...before, metadata: { ...before.metadata, annotations: { "farwatch.dev/requested-at": "x" } } };
  assert.deepEqual(await requests(handler, { type: "update", oldObject: before, object: asked }), [key]);
});

test("debounced handler keeps a later time and a lane of its own, from one that takes its time too", async () => {
  for (const inner of [
    (): Enqueued[] => [{ name: "a", after: "1m", priority: 5 }, { name: "b" }],
    async (): Promise<Enqueued[]> => [{ name: "a", after: "1m", priority: 5 }, { name: "b" }],
  ]) {
    const handler = debounce<string>(inner, { wait: "2s" });
    assert.deepEqual(await requests(handler, { type: "generic", object: "x" }), [
      { name: "a", after: 60_000, priority: 5 },
      { name: "b", after: 2_000 },
    ]);
  }
});

test("debounced handler waits for a promise that is none of Node's, and refuses what is no list of requests", async () => {
  const event = { type: "generic", object: "x" } as const;
  // biome-ignore lint/suspicious/noThenProperty: as libraries with promises of their own have it.
  const theirs = { then: (resolve: (given: Enqueued[]) => void): void => resolve([{ name: "a" }]) };
  const givenBy = (given: unknown) => debounce((() => given) as unknown as EventHandler<string>, { wait: "2s" });
  assert.deepEqual(await requests(givenBy(theirs), event), [{ name: "a", after: 2_000 }]);
  for (const given of [undefined, 5, "text", { name: "a" }, Promise.resolve({ name: "a" })]) {
    await assert.rejects(requests(givenBy(given), event), (error) => isCodedError(error, "InvalidOption"));
  }
});

test("debounced handler makes one run of a burst", async () => {
  const clock = createVirtualClock();
  const queue = createWorkQueue({ clock });
  const handler = debounce(enqueueRequestForObject, { wait: "2s" });
  const runs = createChannel<number>();
  const working = (async () => {
    for (let next = await queue.next(); next !== undefined; next = await queue.next()) {
      runs.trySend(clock.elapsed());
      queue.finish(next, { type: "done" });
    }
  })();
  for (let n = 0; n < 4; n += 1) {
    const update = { type: "update", oldObject: bucket("a", 1, n), object: bucket("a", 1, n + 1) } as const;
    for (const { after = 0, ...request } of await requests(handler, update))
      queue.add(request, { afterMs: Number(after) });
    await clock.advance("600ms");
  }
  await clock.advance("10s");
  assert.deepEqual([runs.size, runs.tryReceive()], [1, 2_000]);
  queue.shutDown();
  await working;
});

test("debounce refuses times and bounds that are none, what is no source or handler, and says what to give", () => {
  const source = channelSource<string>();
  const wrong: readonly (readonly [unknown, object | undefined, RegExp])[] = [
    [source, undefined, /^Cannot debounce: wait is missing, give a number of milliseconds/],
    [source, {}, /^Cannot debounce: wait is missing, give a number of milliseconds/],
    [source, { wait: "2s", maxWait: "1s" }, /^Cannot debounce: maxWait is "1s", give at least 2s$/],
    [source, { wait: "2s", maxWait: "soon" }, /^Cannot debounce: maxWait is "soon", give a number of milliseconds/],
    [{ name: "x" }, { wait: "2s" }, /^Cannot debounce what is given: it is no source and no handler, give one$/],
    [undefined, { wait: "2s" }, /^Cannot debounce what is given: it is no source and no handler, give one$/],
  ];
  for (const [target, options, message] of wrong) {
    assert.throws(() => debounce(target as typeof source, options as DebounceOptions<string>), { message });
  }
  for (const options of [{ wait: 0 }, { wait: "2s", maxWait: "1s" }, { wait: "2s", capacity: 0 }] as const) {
    assert.throws(
      () => debounce(source, options),
      (error) => isCodedError(error, "InvalidOption"),
    );
  }
});
