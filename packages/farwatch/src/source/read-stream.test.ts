import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { isEmpty, opened, pushed, type Settled, setUp } from "./pushed-source.fixture.ts";

test("readStream leaves a stream behind that does not close within the grace, and gives back what it yields late", async () => {
  const env = setUp();
  const acks: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { source } = pushed({
    durability: "origin",
    async *events() {
      await gate.promise;
      yield {
        type: "generic",
        object: "late",
        ack: { done: () => assert.fail("done"), retry: () => acks.push("retry") },
      };
    },
  });
  env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  await env.clock.settle();
  const closing = scope.close();
  await env.clock.advance("5s");
  await closing;
  assert.ok(env.log.lines.some(({ message }) => message.startsWith("Source did not close within its grace")));
  gate.resolve();
  await env.clock.settle();
  assert.deepEqual(acks, ["retry"]);
  assert.equal(env.clock.pendingTimers, 0);
});

test("readStream closes a stream that yields what is no event before it opens it again", async () => {
  const env = setUp();
  const log: string[] = [];
  const { source } = pushed({
    async *events() {
      log.push("opened");
      try {
        yield undefined as never;
      } finally {
        log.push("closed");
      }
    },
  });
  env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  await env.clock.settle();
  assert.deepEqual(log, ["opened", "closed"]);
  assert.equal(env.hub.states[0]?.phase, "failing");
  await env.clock.advance("1s");
  assert.deepEqual(log, ["opened", "closed", "opened", "closed"]);
  await scope.close();
});

test("readStream lets the rest of the process go on beside a stream that always has a next value", async () => {
  const env = setUp();
  const { source } = pushed({
    overflow: "dropOldest",
    restates: true,
    async *events() {
      for (;;) yield { type: "generic", object: "again" };
    },
  });
  env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  await readFile(import.meta.filename);
  await scope.close();
});

test("readStream closes a stream that waits in next() at once when it honours the abort", async () => {
  const env = setUp();
  const { source, openings } = pushed();
  env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  await env.clock.settle();
  await scope.close();
  assert.equal(openings[0]?.aborted, true);
  assert.equal(env.clock.elapsed(), 0);
  assert.equal(env.clock.pendingTimers, 0);
  assert.deepEqual(env.log.lines, []);
});

test("readStream closes a stream while it waits for room", async () => {
  const env = setUp();
  const acks: Settled[] = [];
  const full = pushed({ name: "full", capacity: 1, acks });
  const held = pushed({ name: "held", maxUnacknowledged: 1, acks: [] });
  for (const { source } of [full, held]) env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  for (const { push } of [full, held]) push("a", "b", "c");
  await env.clock.settle();
  await scope.close();
  assert.deepEqual(acks.toSorted(), [
    ["retry", "a"],
    ["retry", "b"],
  ]);
});

// Promise 4
test("readStream keeps a stream open, and reads no further, until what it yielded is acknowledged", async () => {
  const env = setUp();
  const acks: Settled[] = [];
  const { source, openings, read, push } = pushed({ acks });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a", "b");
  const first = await watch.receive();
  await env.clock.settle();
  const closing = scope.close();
  await env.clock.advance("4s");
  assert.deepEqual(acks, [["retry", "b"]], "what waits is given back at once");
  assert.equal(openings[0]?.aborted, false);
  push("c", "d");
  await env.clock.settle();
  assert.deepEqual(acks.slice(1), [["retry", "c"]], "the value that was asked for already is given back");
  assert.deepEqual(read, ["a", "b", "c"]);
  assert.equal(await isEmpty(watch), true);
  first?.hold.done();
  assert.deepEqual(acks.slice(2), [["done", "a"]]);
  assert.equal(openings[0]?.aborted, false, "the origin was told while the stream was open");
  await closing;
  assert.equal(openings[0]?.aborted, true);
  assert.equal(env.clock.elapsed(), 4_000);
  assert.equal(env.clock.pendingTimers, 0);
});

test("readStream waits no longer than the grace for acknowledgements, and says so", async () => {
  const env = setUp();
  const { source, openings, push } = pushed({ acks: [] });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a");
  const held = await watch.receive();
  const closing = scope.close();
  await env.clock.advance("4999ms");
  assert.equal(openings[0]?.aborted, false);
  await env.clock.advance("1ms");
  await closing;
  assert.ok(
    env.log.lines.some(({ message }) => message.startsWith("Source closes before its events are acknowledged")),
  );
  held?.hold.done();
});

test("readStream closes at once what no origin waits for, and what ends while it is kept open", async () => {
  const env = setUp();
  const ofProcess = pushed({ name: "process" });
  const ending = pushed({ name: "ending", acks: [] });
  const watches = [ofProcess, ending].map(({ source }) => env.hub.subscribe(source, { name: "w" }));
  const scope = opened(env);
  for (const { push } of [ofProcess, ending]) push("a");
  const held = await Promise.all(watches.map((watch) => watch.receive()));
  const closing = scope.close();
  await env.clock.settle();
  assert.deepEqual(
    [ofProcess, ending].map(({ openings }) => openings[0]?.aborted),
    [true, false],
  );
  ending.end();
  await closing;
  assert.equal(env.clock.elapsed(), 0);
  for (const received of held) received?.hold.done();
});

// Promise 4
test("readStream keeps the stream open for acknowledgements when its last watch leaves", async () => {
  const env = setUp();
  const acks: Settled[] = [];
  const { source, openings, push } = pushed({ acks });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a");
  const held = await watch.receive();
  const leaving = watch[Symbol.asyncDispose]();
  await env.clock.advance("1s");
  assert.equal(openings[0]?.aborted, false);
  held?.hold.done();
  await leaving;
  assert.deepEqual(acks, [["done", "a"]]);
  assert.equal(openings[0]?.aborted, true);
  await scope.close();
});
