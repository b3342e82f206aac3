import assert from "node:assert/strict";
import { test } from "node:test";
import { isCodedError } from "../error/coded-error.ts";

import { opened, pushed, setUp, take } from "./pushed-source.fixture.ts";

// Promise 2
test("source hub opens a source once and gives each of its watches every event", async () => {
  const env = setUp();
  const { source, openings, push } = pushed();
  const one = env.hub.subscribe(source, { name: "one" });
  const two = env.hub.subscribe(source, { name: "two" });
  const scope = opened(env);
  push("a", "b");
  await env.clock.settle();
  assert.deepEqual(await take(one, 2), ["a", "b"]);
  assert.deepEqual(await take(two, 2), ["a", "b"]);
  assert.equal(openings.length, 1);
  assert.deepEqual(env.hub.states[0]?.watches, ["one", "two"]);
  await scope.close();
});

test("source hub counts what a source has yielded, and how often it failed, from 0 on", async () => {
  const { hub, metrics } = setUp();
  hub.subscribe(pushed().source, { name: "w" });
  const { body } = await metrics.expose();
  assert.match(body, /^farwatch_source_events_total\{source="pushed"\} 0$/m);
  assert.match(body, /^farwatch_source_failures_total\{source="pushed"\} 0$/m);
});

test("source hub refuses two chosen sources of one name and numbers derived ones", () => {
  const { hub } = setUp();
  hub.subscribe(pushed().source, { name: "one" });
  assert.throws(
    () => hub.subscribe(pushed().source, { name: "two" }),
    (error) =>
      isCodedError(error, "DuplicateName") &&
      error.message === 'Cannot watch source "pushed": another source has this name, give one of the two another',
  );
  hub.subscribe(pushed({ name: "ticker-1m", numbered: true }).source, { name: "one" });
  const second = hub.subscribe(pushed({ name: "ticker-1m", numbered: true }).source, { name: "two" });
  assert.equal(second.name, "ticker-1m-2");
  assert.deepEqual(
    hub.states.map(({ name }) => name),
    ["pushed", "ticker-1m", "ticker-1m-2"],
  );
});

test("source hub opens a source for a watch that joins when the scope is open already", async () => {
  const env = setUp();
  const scope = opened(env);
  const { source, push } = pushed();
  const watch = env.hub.subscribe(source, { name: "late" });
  push("a");
  assert.deepEqual(await take(watch, 1), ["a"]);
  await scope.close();
});

test("source hub closes the stream of a source that nobody watches any more, and opens it for the next watch", async () => {
  const env = setUp();
  const scope = opened(env);
  const { source, openings, push } = pushed();
  const first = env.hub.subscribe(source, { name: "first" });
  push("a");
  await env.clock.settle();
  await first[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  assert.equal(openings[0]?.aborted, true);
  assert.equal(await first.receive(), undefined);
  const second = env.hub.subscribe(source, { name: "second" });
  push("b");
  assert.deepEqual(await take(second, 2), ["a", "b"], "what the first left behind is not lost");
  assert.equal(openings.length, 2);
  await scope.close();
});

test("source hub refuses to open a scope twice", async () => {
  const env = setUp();
  const scope = opened(env);
  await assert.rejects(env.hub.open("leader", new AbortController().signal), (error) =>
    isCodedError(error, "AlreadyStarted"),
  );
  await scope.close();
  await opened(env).close();
});

// Promise 1
// B19
test("source hub keeps what a source for everyone yields until this replica leads", async () => {
  const env = setUp();
  const { source, push } = pushed({ needLeaderElection: false });
  const other = pushed({ name: "other" });
  const watch = env.hub.subscribe(source, { name: "watch" });
  env.hub.subscribe(other.source, { name: "watch" });
  const everyone = opened(env, "everyone");
  push("a", "b");
  await env.clock.advance("1h");
  assert.deepEqual(other.openings, [], "the source for the leader is not open");
  const leader = opened(env);
  await env.clock.settle();
  assert.equal(other.openings.length, 1);
  assert.deepEqual(await take(watch, 2), ["a", "b"]);
  await Promise.all([leader.close(), everyone.close()]);
});

test("source hub refuses a source whose bounds would let nothing through", () => {
  for (const bound of ["capacity", "maxUnacknowledged", "maxUnacknowledgedBytes"]) {
    for (const value of [0, -1, 1.5, Number.NaN]) {
      const env = setUp();
      const { source } = pushed({ [bound]: value });
      assert.throws(() => env.hub.subscribe(source, { name: "w" }), {
        code: "InvalidOption",
        message: `Cannot make source pushed: ${bound} is ${value}, give a whole number of at least 1`,
      });
      assert.deepEqual(env.hub.states, []);
    }
  }
});

test("source hub declares the informers of a source while somebody watches it", async () => {
  const env = setUp();
  let declared = 0;
  const { source } = pushed({
    declare: () => {
      declared += 1;
      return {
        [Symbol.dispose]: () => {
          declared -= 1;
        },
      };
    },
  });
  const one = env.hub.subscribe(source, { name: "one" });
  const two = env.hub.subscribe(source, { name: "two" });
  assert.equal(declared, 1);
  await one[Symbol.asyncDispose]();
  assert.equal(declared, 1);
  await two[Symbol.asyncDispose]();
  assert.equal(declared, 0);
});
