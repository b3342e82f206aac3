import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { seededRandom } from "../clock/random.ts";
import { createScriptedCache } from "../doubles/scripted-cache.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import type { SourceEvent } from "../event/source-event.ts";
import { createChannel } from "../flow/channel.ts";
import type { LogFields, Logger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import type { Context, Source } from "./source.ts";
import { createSourceHub, type Subscription } from "./source-hub.ts";

function recordingLogger(lines: string[]): Logger {
  const note = (message: string, fields: LogFields = {}): void => {
    lines.push("error" in fields ? `${message}: ${String(fields.error)}` : message);
  };
  const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
  return logger;
}

function setUp() {
  const clock = createVirtualClock();
  const cache = createScriptedCache();
  const metrics = createMetrics();
  const lines: string[] = [];
  const hub = createSourceHub({ clock, cache, metrics, log: recordingLogger(lines), random: seededRandom(1) });
  return { clock, cache, metrics, lines, hub };
}

/** A scope of the hub, opened now; `close` is how a lost lead or the end of the process looks. */
function opened({ hub }: ReturnType<typeof setUp>, scope: "everyone" | "leader" = "leader") {
  const controller = new AbortController();
  const closed = hub.open(scope, controller.signal);
  return {
    async close(): Promise<void> {
      controller.abort(new Error("lost"));
      await closed;
    },
  };
}

type Settled = readonly [outcome: "done" | "retry", value: unknown];

/** A source that yields what the test pushes; `fail` throws out of the stream that is open. */
function pushed(options: Partial<Source<string>> & { readonly acks?: Settled[] } = {}) {
  const values = createChannel<() => string>({ capacity: 100_000 });
  const openings: AbortSignal[] = [];
  const read: string[] = [];
  const { acks, ...rest } = options;
  const eventOf = (object: string): SourceEvent<string> => {
    if (acks === undefined) return { type: "generic", object };
    const note = (outcome: Settled[0]) => (): void => {
      acks.push([outcome, object]);
    };
    return { type: "generic", object, ack: { done: note("done"), retry: note("retry") } };
  };
  const source: Source<string> = {
    name: "pushed",
    delivery: "atLeastOnce",
    durability: acks === undefined ? "process" : "origin",
    overflow: "wait",
    async *events({ signal }: Context) {
      openings.push(signal);
      try {
        for (;;) {
          const value = await values.receive(signal);
          if (value === undefined) return;
          const object = value();
          read.push(object);
          yield eventOf(object);
        }
      } catch (reason) {
        if (reason !== signal.reason) throw reason;
      }
    },
    ...rest,
  };
  return {
    source,
    openings,
    read,
    push(...objects: string[]): void {
      for (const object of objects) values.trySend(() => object);
    },
    fail: (message: string) =>
      values.trySend(() => {
        throw new Error(message);
      }),
    end: () => values.close(),
  };
}

/** What waits for a watch now; each hold is released with `settle`. */
async function take<T>(
  subscription: Subscription<T>,
  count: number,
  settle: "done" | "giveBack" | "hold" = "done",
): Promise<T[]> {
  const objects: T[] = [];
  for (let index = 0; index < count; index += 1) {
    const received = await subscription.receive();
    if (received === undefined) throw new Error("The subscription was left");
    objects.push(received.event.object);
    if (settle !== "hold") received.hold[settle]();
  }
  return objects;
}

async function isEmpty<T>(subscription: Subscription<T>): Promise<boolean> {
  const controller = new AbortController();
  const next = subscription.receive(controller.signal).then(
    () => false,
    () => true,
  );
  controller.abort();
  return next;
}

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
  hub.subscribe(pushed({ name: "ticker-1m", numbered: true }).source, { name: "two" });
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
  assert.deepEqual(await take(watch, 1, "hold"), ["a3"]);
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
    env.lines.filter((line) => line.includes("no key")),
    Array(2).fill("Cannot tell the key of an event that may coalesce: Error: no key"),
  );
  await scope.close();
});

// Promise 4
test("source hub acknowledges an event once all its watches have finished with it", async () => {
  const env = setUp();
  const acks: Settled[] = [];
  const { source, push } = pushed({ acks });
  const one = env.hub.subscribe(source, { name: "one" });
  const two = env.hub.subscribe(source, { name: "two" });
  const scope = opened(env);
  push("a", "b");
  await take(one, 2);
  assert.deepEqual(acks, []);
  await take(two, 1);
  assert.deepEqual(acks, [["done", "a"]]);
  await take(two, 1, "giveBack");
  assert.deepEqual(acks.slice(1), [["retry", "b"]]);
  await scope.close();
});

// Promise 4
test("source hub does not hand the acknowledgement itself to watches", async () => {
  const env = setUp();
  const { source, push } = pushed({ acks: [] });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a");
  assert.equal((await watch.receive())?.event.ack, undefined);
  await scope.close();
});

// Promise 4
test("source hub stops reading at maxUnacknowledged and goes on when an event is settled", async () => {
  const env = setUp();
  const { source, push, read } = pushed({ acks: [], maxUnacknowledged: 2 });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a", "b", "c", "d");
  const first = await watch.receive();
  await take(watch, 1, "hold");
  await env.clock.settle();
  assert.deepEqual(read, ["a", "b"]);
  assert.equal(env.hub.states[0]?.unacknowledged, 2);
  first?.hold.done();
  assert.deepEqual(await take(watch, 1, "hold"), ["c"]);
  await env.clock.settle();
  assert.deepEqual(read, ["a", "b", "c"]);
  await scope.close();
});

test("source hub survives an acknowledgement that throws, and counts it", async () => {
  const env = setUp();
  const acks = {
    done() {
      throw new Error("broker gone");
    },
    retry() {},
  };
  const { source } = pushed({
    ends: true,
    async *events() {
      yield { type: "generic", object: "a", ack: acks };
    },
  });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  await take(watch, 1);
  const errors = env.metrics.counter({
    name: "farwatch_source_acknowledgement_errors_total",
    help: "",
    labelNames: ["source"],
  });
  assert.equal(errors.read({ source: "pushed" }), 1);
  assert.equal(env.hub.states[0]?.unacknowledged, 0);
  await scope.close();
});

// Promise 1
test("source hub gives back to the origin what waits in buffers when the lead is lost", async () => {
  const env = setUp();
  const acks: Settled[] = [];
  const { source, push, openings } = pushed({ acks });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a", "b");
  await env.clock.settle();
  await scope.close();
  assert.deepEqual(acks, [
    ["retry", "a"],
    ["retry", "b"],
  ]);
  assert.equal(openings[0]?.aborted, true);
  assert.equal(await isEmpty(watch), true);
  assert.equal(env.hub.states[0]?.phase, "waiting");
});

// Promise 1
test("source hub keeps events without an origin over a change of leader, in order, and delivers them before newer ones", async () => {
  const env = setUp();
  const { source, push } = pushed({ capacity: 2 });
  const watch = env.hub.subscribe(source, { name: "w" });
  const first = opened(env);
  push("a", "b", "c", "d");
  await env.clock.settle();
  const held = await watch.receive();
  await env.clock.settle();
  await first.close();
  held?.hold.giveBack();
  assert.equal(env.hub.states[0]?.kept, 4);
  push("e");
  await env.clock.advance("1h");
  assert.equal(await isEmpty(watch), true);
  const second = opened(env);
  assert.deepEqual(await take(watch, 5), ["a", "b", "c", "d", "e"]);
  assert.equal(env.hub.states[0]?.kept, 0);
  await second.close();
});

// Promise 1
test("source hub keeps events without an origin for the next manager of this process", async () => {
  const env = setUp();
  const { source, push } = pushed();
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a");
  await env.clock.settle();
  await scope.close();
  await watch[Symbol.asyncDispose]();
  const next = setUp();
  const again = next.hub.subscribe(source, { name: "w" });
  const reopened = opened(next);
  assert.deepEqual(await take(again, 1), ["a"]);
  await reopened.close();
});

test("source hub drops what waits of a source that tells everything anew when it is opened", async () => {
  const env = setUp();
  const { source, push } = pushed({ restates: true });
  const watch = env.hub.subscribe(source, { name: "w" });
  const first = opened(env);
  push("a");
  await env.clock.settle();
  await first.close();
  assert.equal(env.hub.states[0]?.kept, 0);
  const second = opened(env);
  await env.clock.settle();
  assert.equal(await isEmpty(watch), true);
  await second.close();
});

test("source hub delivers a given-back event again after the time that was asked for", async () => {
  const env = setUp();
  const { source, push } = pushed();
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a");
  (await watch.receive())?.hold.giveBack("30s");
  await env.clock.advance("29s");
  assert.equal(await isEmpty(watch), true);
  await env.clock.advance("1s");
  assert.deepEqual(await take(watch, 1), ["a"]);
  await scope.close();
});

// Promise 3
test("source hub opens a source again, with backoff, after it threw", async () => {
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

test("source hub shows no credentials of a source's error", async () => {
  const env = setUp();
  const { source, fail } = pushed();
  env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  fail("connect amqp://user:hunter2@broker refused");
  await env.clock.settle();
  assert.equal(env.hub.states[0]?.lastError?.includes("hunter2"), false);
  await scope.close();
});

// Promise 3
test("source hub takes the end of a stream for a fault, unless the source may end", async () => {
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
test("source hub waits up to a minute between openings of a source that keeps failing, and starts over after a healthy one", async () => {
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
test("source hub calls a source serving that has stood for ten seconds without an event", async () => {
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
  assert.ok(env.lines.some((line) => line.startsWith("Source did not close within its grace")));
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
  assert.deepEqual(env.lines, []);
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
