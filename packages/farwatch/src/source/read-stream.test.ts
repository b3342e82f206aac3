import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { opened, pushed, type Settled, setUp } from "./pushed-source.fixture.ts";

test("source hub leaves a stream behind that does not close within the grace, and gives back what it yields late", async () => {
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

test("source hub lets the rest of the process go on beside a stream that always has a next value", async () => {
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

test("source hub closes a stream that waits in next() at once when it honours the abort", async () => {
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

test("source hub closes a stream while it waits for room", async () => {
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
