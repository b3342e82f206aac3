import assert from "node:assert/strict";
import { test } from "node:test";
import { CodedError } from "../error/coded-error.ts";
import { opened, pushed, setUp, take } from "./pushed-source.fixture.ts";
import type { Source, SourceHealth } from "./source.ts";

// Promise 3
test("shared source opens a source again, with backoff, after it threw", async () => {
  const env = setUp();
  const { source, openings, fail, push } = pushed({ critical: true });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a");
  fail("connection reset");
  await env.clock.settle();
  const [failing] = env.hub.states;
  assert.equal(failing?.phase, "failing");
  assert.equal(failing.critical, true);
  assert.equal(failing.lastError, "connection reset");
  assert.equal(failing.lastErrorAt?.toISOString(), "2030-01-01T00:00:00.000Z");
  assert.equal(openings[0]?.aborted, true, "what the failed stream opened under its signal is let go");
  const gauge = env.metrics.gauge({ name: "farwatch_source_failing", help: "", labelNames: ["source"] });
  assert.equal(gauge.read({ source: "pushed" }), 1);
  push("b");
  await env.clock.advance("1s");
  assert.deepEqual(await take(watch, 2), ["a", "b"]);
  const [serving] = env.hub.states;
  assert.equal(serving?.phase, "serving");
  assert.equal(serving.restarts, 1);
  assert.equal(gauge.read({ source: "pushed" }), 0);
  await scope.close();
});

test("shared source fails for good, and its scope with it, when a package is not installed", async () => {
  const env = setUp();
  const missing = new CodedError("MissingDependency", "Cannot open source pushed: the package nats is not installed");
  let openings = 0;
  const { source } = pushed({
    events() {
      openings += 1;
      throw missing;
    },
  });
  const watch = env.hub.subscribe(source, { name: "w" });
  await assert.rejects(env.hub.open("leader", new AbortController().signal), missing);
  assert.equal(openings, 1);
  assert.equal(env.hub.states[0]?.lastError, missing.message);
  await watch[Symbol.asyncDispose]();
  assert.equal(env.clock.pendingTimers, 0);
});

test("shared source shows of an error that its far side wrote one line of bounded length, which changes no terminal", async () => {
  const env = setUp();
  const { source, fail } = pushed();
  env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  fail(`closed (\u001b[2J\n[+]source/pushed ok\u202e) ${"x".repeat(100_000)}`);
  await env.clock.settle();
  const { lastError = "" } = env.hub.states[0] ?? {};
  assert.match(lastError, /^closed \( \[2J \[\+\]source\/pushed ok \) x/);
  assert.ok(lastError.length < 1_100, String(lastError.length));
  await scope.close();
});

test("shared source shows no credentials of a source's error", async () => {
  const env = setUp();
  const { source, fail } = pushed();
  env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  fail('connect amqp://user:hunter2@broker refused: host=broker password=hunter2 secret_token="hunter2"');
  await env.clock.settle();
  assert.equal(env.hub.states[0]?.lastError?.includes("hunter2"), false);
  await scope.close();
});

// Promise 3
test("shared source takes the end of a stream for a fault, unless the source may end", async () => {
  const env = setUp();
  const ending = pushed({ name: "ending", ends: true });
  const faulty = pushed({ name: "faulty" });
  for (const { source } of [ending, faulty]) env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  ending.end();
  faulty.end();
  await env.clock.settle();
  assert.deepEqual(
    env.hub.states.map(({ phase, lastError }) => [phase, lastError]),
    [
      ["ended", undefined],
      ["failing", "Cannot read source faulty: its stream ended, declare `ends` if it may; it is opened again"],
    ],
  );
  await env.clock.advance("1h");
  assert.equal(ending.openings.length, 1);
  assert.ok(faulty.openings.length > 50);
  await scope.close();
  await opened(env).close();
  assert.equal(ending.openings.length, 1, "ended is for good");
});

// Promise 3
test("shared source waits up to a minute between openings of a source that keeps failing, and starts over after a healthy one", async () => {
  const env = setUp();
  const openingsAt: number[] = [];
  const { source } = pushed({
    events() {
      openingsAt.push(env.clock.elapsed());
      throw new Error("refused");
    },
  });
  env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  await env.clock.advance("10m");
  const gaps = openingsAt.slice(1).map((at, index) => at - (openingsAt[index] ?? 0));
  gaps.forEach((gap, index) => {
    const fullMs = Math.min(60_000, 1_000 * 2 ** index);
    assert.ok(gap >= fullMs / 2 && gap <= fullMs, `gap ${index} is ${gap} ms`);
  });
  assert.ok(new Set(gaps).size > gaps.length / 2, "the gaps are jittered");
  await scope.close();

  const healthy = setUp();
  const recovering = pushed();
  healthy.hub.subscribe(recovering.source, { name: "w" });
  const again = opened(healthy);
  for (let round = 0; round < 6; round += 1) {
    recovering.fail("again");
    await healthy.clock.advance("1m");
    await healthy.clock.advance("1m");
  }
  recovering.fail("once more");
  await healthy.clock.advance("1s");
  assert.equal(recovering.openings.length, 8);
  await again.close();
});

// Promise 3
test("shared source calls a source serving that has stood for ten seconds without an event", async () => {
  const env = setUp();
  const { source } = pushed();
  env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  await env.clock.advance("9s");
  assert.equal(env.hub.states[0]?.phase, "starting");
  await env.clock.advance("1s");
  assert.equal(env.hub.states[0]?.phase, "serving");
  await scope.close();
  assert.equal(env.clock.pendingTimers, 0);
});

// Promise 3
test("shared source calls a source that connects serving when it says so, however long that takes, at each opening", async () => {
  const env = setUp();
  const { source } = pushed();
  const health: SourceHealth[] = [];
  const connecting: Source<string> = {
    ...source,
    connects: true,
    async *events(ctx) {
      health.push(ctx.health);
      if (health.length === 1) {
        await env.clock.sleep("1m");
        throw new Error("no answer");
      }
      yield* source.events(ctx);
    },
  };
  env.hub.subscribe(connecting, { name: "w" });
  const scope = opened(env);
  const phase = (): unknown => env.hub.states[0]?.phase;
  await env.clock.advance("59s");
  assert.equal(phase(), "starting");
  await env.clock.advance("1s");
  assert.equal(phase(), "failing");
  await env.clock.advance("1m");
  assert.equal(health.length, 2);
  assert.equal(phase(), "failing", "it has not connected");
  health[1]?.serving();
  assert.equal(phase(), "serving");
  await scope.close();
  assert.equal(env.clock.pendingTimers, 0);
});

test("shared source shows a source as failing that says so, keeps its stream, and hears nothing of one that has closed", async () => {
  const env = setUp();
  const { source, openings, push } = pushed();
  let health: SourceHealth | undefined;
  const telling: Source<string> = {
    ...source,
    events(ctx) {
      ({ health } = ctx);
      return source.events(ctx);
    },
  };
  const watch = env.hub.subscribe(telling, { name: "w" });
  const scope = opened(env);
  await env.clock.settle();
  const phase = (): unknown => env.hub.states[0]?.phase;
  const gauge = env.metrics.gauge({ name: "farwatch_source_failing", help: "", labelNames: ["source"] });
  health?.failing(new Error("GET https://user:hunter2@api.test?key=1 refused"));
  assert.equal(env.hub.states[0]?.lastError, "GET https://api.test refused");
  await env.clock.advance("1m");
  assert.equal(phase(), "failing", "standing for ten seconds is no service");
  assert.equal(gauge.read({ source: "pushed" }), 1);
  health?.serving();
  assert.equal(phase(), "serving");
  assert.equal(gauge.read({ source: "pushed" }), 0);
  assert.deepEqual(
    env.log.lines.map(({ level, message, fields }) => [level, message, fields.source, fields.failedMs]),
    [["info", "Source serves again", "pushed", 60_000]],
  );
  health?.failing("again");
  push("a");
  assert.deepEqual(await take(watch, 1), ["a"]);
  assert.equal(phase(), "serving", "it has yielded an event");
  assert.equal(openings.length, 1);
  await scope.close();
  health?.failing("late");
  assert.equal(phase(), "waiting");
});
