import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceEvent } from "../event/source-event.ts";

import { isEmpty, opened, pushed, type Settled, setUp, take } from "./pushed-source.fixture.ts";

// Promise 2
test("source hub reads no further than the buffer of the slowest watch, and other sources never notice", async () => {
  const env = setUp();
  const slow = pushed({ name: "slow", capacity: 3 });
  const fast = pushed({ name: "fast", capacity: 3 });
  const slowest = env.hub.subscribe(slow.source, { name: "slowest" });
  const quick = env.hub.subscribe(slow.source, { name: "quick" });
  const other = env.hub.subscribe(fast.source, { name: "quick" });
  const scope = opened(env);
  for (let index = 0; index < 10; index += 1) {
    slow.push(`s${index}`);
    fast.push(`f${index}`);
  }
  await env.clock.settle();
  assert.equal((await take(quick, 4)).length, 4);
  assert.equal((await take(other, 10)).length, 10);
  await env.clock.settle();
  assert.equal(slow.read.length, 4, "three wait for the slowest watch, one is under way");
  assert.deepEqual(await take(slowest, 7), ["s0", "s1", "s2", "s3", "s4", "s5", "s6"]);
  assert.deepEqual(await take(quick, 6), ["s4", "s5", "s6", "s7", "s8", "s9"]);
  assert.deepEqual(await take(slowest, 3), ["s7", "s8", "s9"]);
  await scope.close();
});

// Promise 2
test("source hub drops the oldest event where a source declares so, counts it, and settles it", async () => {
  const env = setUp();
  const acks: Settled[] = [];
  const ofOrigin = pushed({ name: "origin", overflow: "dropOldest", capacity: 2, acks });
  const ofProcess = pushed({ name: "process", overflow: "dropOldest", capacity: 2 });
  const one = env.hub.subscribe(ofOrigin.source, { name: "w" });
  const two = env.hub.subscribe(ofProcess.source, { name: "w" });
  const scope = opened(env);
  for (const { push } of [ofOrigin, ofProcess]) push("a", "b", "c");
  await env.clock.settle();
  assert.deepEqual(acks, [["retry", "a"]]);
  const dropped = env.metrics.counter({
    name: "farwatch_source_dropped_events_total",
    help: "",
    labelNames: ["source", "watch"],
  });
  assert.equal(dropped.read({ source: "origin", watch: "w" }), 1);
  assert.equal(dropped.read({ source: "process", watch: "w" }), 1);
  assert.deepEqual(await take(one, 2), ["b", "c"]);
  assert.deepEqual(await take(two, 2), ["b", "c"]);
  await env.clock.advance("1m");
  assert.equal(await isEmpty(two), true, "what was dropped does not come again");
  assert.equal(env.hub.states[1]?.unacknowledged, 0);
  await scope.close();
});

// Promise 2
test("source hub merges events of one key and settles both with the survivor", async () => {
  const env = setUp();
  const acks: Settled[] = [];
  const { source, push } = pushed({ overflow: { coalesce: (object) => object.slice(0, 1) }, acks });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a1", "b1", "a2", "a3");
  await env.clock.settle();
  const merged = await watch.receive();
  assert.equal(merged?.event.object, "a3");
  assert.deepEqual(await take(watch, 1), ["b1"]);
  assert.deepEqual(acks, [["done", "b1"]]);
  push("a4", "a5");
  await env.clock.settle();
  const survivor = await watch.receive();
  survivor?.hold.split().done();
  survivor?.hold.done();
  assert.deepEqual(acks.slice(1), [
    ["done", "a4"],
    ["done", "a5"],
  ]);
  merged.hold.giveBack();
  assert.deepEqual(acks.slice(3).toSorted(), [
    ["retry", "a1"],
    ["retry", "a2"],
    ["retry", "a3"],
  ]);
  const counter = env.metrics.counter({
    name: "farwatch_source_coalesced_events_total",
    help: "",
    labelNames: ["source", "watch"],
  });
  assert.equal(counter.read({ source: "pushed", watch: "w" }), 3);
  await scope.close();
});

test("source hub merges waiting updates of an object from the first old to the last new state", async () => {
  const env = setUp();
  const events: SourceEvent<string>[] = [
    { type: "update", oldObject: "1", object: "2" },
    { type: "update", oldObject: "2", object: "3" },
  ];
  const { source } = pushed({
    overflow: { coalesce: () => "" },
    ends: true,
    async *events() {
      yield* events;
    },
  });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  await env.clock.settle();
  const received = await watch.receive();
  assert.deepEqual(received?.event, { type: "update", oldObject: "1", object: "3", ack: undefined });
  await scope.close();
});

test("source hub neither loses an event nor stops a source when its key cannot be told", async () => {
  const env = setUp();
  const { source, push } = pushed({
    overflow: {
      coalesce(object) {
        if (object === "bad") throw new Error("no key");
        return object;
      },
    },
  });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("bad", "good", "bad");
  await env.clock.settle();
  assert.deepEqual(await take(watch, 3), ["bad", "good", "bad"]);
  assert.equal(env.hub.states[0]?.restarts, 0);
  assert.deepEqual(
    env.log.lines.filter(({ fields }) => String(fields.error).includes("no key")).map(({ message }) => message),
    Array(2).fill("Cannot tell the key of an event that may coalesce"),
  );
  await scope.close();
});
