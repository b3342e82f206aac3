import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedCache } from "../doubles/scripted-cache.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { type Logger, silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { defineBuiltin } from "../resource/define-builtin.ts";
import type { CustomObject, Resource } from "../resource/resource.ts";
import { phaseOf } from "./phase.ts";
import { readAll } from "./pushed-source.fixture.ts";
import { type TimerSourceOptions, timerSource } from "./timer-source.ts";

type Bucket = CustomObject<{ readonly periodSeconds?: number | string }, { readonly doublings?: number }>;

const Bucket: Resource<Bucket> = defineBuiltin({
  group: "example.farwatch.dev",
  version: "v1",
  kind: "Bucket",
  subresources: ["status"],
});

let version = 0;
function bucket(name: string, periodSeconds?: number | string, uid = `uid-${name}`): Bucket {
  version += 1;
  return {
    apiVersion: Bucket.apiVersion,
    kind: "Bucket",
    metadata: { namespace: "ns", name, uid, resourceVersion: String(version) },
    spec: periodSeconds === undefined ? {} : { periodSeconds },
  };
}

const period = ({ spec }: Bucket) =>
  spec.periodSeconds === undefined ? undefined : (`${Number(spec.periodSeconds)}s` as const);

interface Fired {
  readonly name: string;
  readonly uid: string;
  readonly wallMs: number;
  readonly elapsedMs: number;
}

function running(options: Partial<TimerSourceOptions<Bucket>> & { readonly now?: string; readonly log?: Logger } = {}) {
  const { now, log = silentLogger, ...timer } = options;
  const clock = createVirtualClock(now === undefined ? {} : { now });
  const cache = createScriptedCache();
  const hub = createScriptedHub({ clock, cache, metrics: createMetrics(), log });
  const watch = hub.subscribe(timerSource(Bucket, { period, ...timer }), { name: "w" });
  const controller = new AbortController();
  const { told: fired, leave } = readAll(watch, ({ object }): Fired => {
    const { name, uid } = object.metadata;
    return { name, uid, wallMs: clock.now().getTime(), elapsedMs: clock.elapsed() };
  });
  let closed = Promise.resolve();
  return {
    clock,
    cache,
    fired,
    states: () => hub.states,
    start(): void {
      closed = hub.open("leader", controller.signal);
    },
    async stop(): Promise<void> {
      controller.abort();
      await closed;
      await leave();
      assert.equal(clock.pendingTimers, 0);
      assert.equal(cache.held, 0);
    },
  };
}

// B17
test("timers of 500 objects run at their grid points after a restart: at most one period late, none at once, spread for ever", async () => {
  const periodMs = 300_000;
  const run = running({ now: "2030-01-01T12:34:56.789Z" });
  const startMs = run.clock.now().getTime();
  for (let index = 0; index < 500; index += 1) run.cache.put(Bucket, bucket(`b${index}`, 300));
  run.start();
  await run.clock.advance(3 * periodMs);
  assert.equal(run.fired.length, 1_500);
  for (const { uid, wallMs } of run.fired) assert.equal((wallMs - phaseOf(uid, periodMs)) % periodMs, 0);
  for (let cycle = 0; cycle < 3; cycle += 1) {
    const inCycle = run.fired.slice(cycle * 500, cycle * 500 + 500);
    assert.equal(new Set(inCycle.map(({ uid }) => uid)).size, 500, "each once a period");
    const perTenth = new Array<number>(10).fill(0);
    for (const { wallMs } of inCycle) {
      const tenth = Math.floor(((wallMs - startMs) % periodMs) / (periodMs / 10));
      perTenth[tenth] = (perTenth[tenth] ?? 0) + 1;
    }
    for (const count of perTenth) assert.ok(count >= 25 && count <= 75, `${count} of 500 in a tenth of the period`);
  }
  await run.stop();
});

test("timers fire at the same times before and after a fail-over", async () => {
  const wallTimes: number[][] = [];
  for (const now of ["2030-01-01T00:00:00Z", "2030-01-01T00:00:41.5Z"]) {
    const run = running({ now });
    run.cache.put(Bucket, bucket("a", 60));
    run.start();
    await run.clock.advance("5m");
    wallTimes.push(run.fired.map(({ wallMs }) => wallMs));
    await run.stop();
  }
  const [first = [], second = []] = wallTimes;
  const firstOfSecond = second[0] ?? 0;
  assert.deepEqual(
    first.filter((at) => at >= firstOfSecond),
    second.slice(0, first.filter((at) => at >= firstOfSecond).length),
  );
  assert.equal(first.length, 5);
});

// B44
test("timer does not drift by the time that handling takes", async () => {
  const run = running();
  run.cache.put(Bucket, bucket("a", 60));
  run.start();
  await run.clock.advance("30m");
  assert.equal(run.fired.length, 30);
  assert.equal((run.fired[29]?.elapsedMs ?? 0) - (run.fired[0]?.elapsedMs ?? 0), 29 * 60_000);
  await run.stop();
});

// B65
test("timer with period 0 or none does not fire, and one that is no duration is logged with the object's name", async () => {
  const log = createRecordingLogger();
  const run = running({ log });
  run.cache.put(Bucket, bucket("zero", 0));
  run.cache.put(Bucket, bucket("none"));
  run.cache.put(Bucket, bucket("negative", -5));
  run.cache.put(Bucket, bucket("word", "soon"));
  run.cache.put(Bucket, bucket("good", 60));
  run.start();
  await run.clock.advance("2m");
  assert.deepEqual([...new Set(run.fired.map(({ name }) => name))], ["good"]);
  const errors = log.lines.map(({ level, message, fields }) => [level, message, fields.object]);
  assert.deepEqual(errors, [
    ["error", "Cannot tell when an object is due", "ns/negative"],
    ["error", "Cannot tell when an object is due", "ns/word"],
  ]);
  run.cache.put(Bucket, bucket("negative", 60));
  run.cache.put(Bucket, bucket("good", "never"));
  const before = run.fired.length;
  await run.clock.advance("1m");
  assert.deepEqual(
    run.fired.slice(before).map(({ name }) => name),
    ["negative"],
  );
  await run.stop();
});

test("timer follows a changed period, a deletion, and an object that was made again", async () => {
  const run = running();
  run.cache.put(Bucket, bucket("a", 60));
  run.start();
  await run.clock.advance("2m");
  assert.equal(run.fired.length, 2);
  run.cache.put(Bucket, bucket("a", 10));
  await run.clock.advance("1m");
  assert.equal(run.fired.length, 8);
  run.cache.put(Bucket, bucket("a", 10, "uid-made-again"));
  await run.clock.advance("1m");
  const again = run.fired.slice(8);
  assert.equal(again.length, 6);
  for (const { uid, wallMs } of again) {
    assert.equal(uid, "uid-made-again");
    assert.equal((wallMs - phaseOf(uid, 10_000)) % 10_000, 0);
  }
  run.cache.remove(Bucket, { namespace: "ns", name: "a" });
  await run.clock.advance("1h");
  assert.equal(run.fired.length, 14);
  await run.stop();
});

test("timer keeps its place when its object changes in other ways", async () => {
  const run = running();
  run.cache.put(Bucket, bucket("a", 60));
  run.start();
  for (let change = 0; change < 60; change += 1) {
    run.cache.put(Bucket, bucket("a", 60));
    await run.clock.advance("5s");
  }
  assert.equal(run.fired.length, 5);
  await run.stop();
});

test("timer lengthens periods to its floor and lets objects of one key be due together", async () => {
  const run = running({ floor: "30s", key: () => "all" });
  run.cache.put(Bucket, bucket("a", 1));
  run.cache.put(Bucket, bucket("b", 30));
  run.start();
  await run.clock.advance("1m");
  assert.deepEqual(run.fired.map(({ name }) => name).toSorted(), ["a", "a", "b", "b"]);
  assert.equal(new Set(run.fired.map(({ elapsedMs }) => elapsedMs)).size, 2);
  await run.stop();
});

test("timer on a clock that was set stays on the grid and is never two periods late", async () => {
  for (const jumpMs of [3_600_000 + 123_456, -3_600_000 - 123_456]) {
    const run = running();
    for (let index = 0; index < 20; index += 1) run.cache.put(Bucket, bucket(`b${index}`, 120));
    run.start();
    await run.clock.advance("4m");
    run.clock.jump(jumpMs);
    await run.clock.advance("6m");
    for (const { uid, wallMs } of run.fired) assert.equal((wallMs - phaseOf(uid, 120_000)) % 120_000, 0);
    for (let index = 0; index < 20; index += 1) {
      const times = run.fired.filter(({ name }) => name === `b${index}`).map(({ elapsedMs }) => elapsedMs);
      [0, ...times, 600_000].reduce((before, at) => {
        assert.ok(at - before < 240_000, `b${index} waited ${at - before} ms`);
        return at;
      });
    }
    await run.stop();
  }
});

/** The same bucket, to be looked at more or less often. */
function stretched(name: string, periodSeconds: number, doublings: number): Bucket {
  return { ...bucket(name, periodSeconds), status: { doublings } };
}
const doublings = ({ status }: Bucket) => status?.doublings ?? 0;

test("timer comes more often for an object that is not well, and less often for one that asks to slow down, on its own grid", async () => {
  const run = running({ doublings });
  const of = (times: readonly Fired[]) => times.map(({ wallMs }) => wallMs);
  run.cache.put(Bucket, stretched("a", 60, 0));
  run.start();
  await run.clock.advance("4m");
  const base = run.fired.splice(0);
  assert.equal(base.length, 4);
  run.cache.put(Bucket, stretched("a", 60, -2));
  await run.clock.advance("4m");
  const faster = run.fired.splice(0);
  assert.equal(faster.length, 16);
  run.cache.put(Bucket, stretched("a", 60, 3));
  await run.clock.advance("32m");
  const slower = run.fired.splice(0);
  assert.equal(slower.length, 4);
  const phaseMs = phaseOf("uid-a", 60_000);
  for (const at of [...of(base), ...of(slower)]) assert.equal((at - phaseMs) % 60_000, 0, "on the grid");
  assert.equal(of(faster).filter((at) => (at - phaseMs) % 60_000 === 0).length, 4, "every fourth is on the grid");
  await run.stop();
});

test("timer of an object that changes between periods again and again is never later than the longest asks", async () => {
  const run = running({ doublings });
  run.cache.put(Bucket, stretched("a", 60, 0));
  run.start();
  for (let change = 0; change < 400; change += 1) {
    run.cache.put(Bucket, stretched("a", 60, [2, 0, -1, 2, 1][change % 5] ?? 0));
    await run.clock.advance("7s");
  }
  const times = [0, ...run.fired.map(({ elapsedMs }) => elapsedMs), 2_800_000];
  for (const [index, at] of times.slice(1).entries()) {
    assert.ok(at - (times[index] ?? 0) <= 240_000, `it waited ${at - (times[index] ?? 0)} ms`);
  }
  await run.stop();
});

test("timer halves a period as far as its floor allows, and logs an object whose doublings are none", async () => {
  const log = createRecordingLogger();
  const run = running({ doublings, floor: "10s", log });
  run.cache.put(Bucket, stretched("a", 30, -5));
  run.cache.put(Bucket, stretched("half", 30, 0.5));
  run.cache.put(Bucket, stretched("many", 30, 11));
  run.start();
  await run.clock.advance("5m");
  assert.deepEqual(
    run.fired.map(({ name }) => name),
    new Array(20).fill("a"),
    "every 15 s: 7.5 s would be below the floor",
  );
  assert.deepEqual(
    log.lines.map(({ fields }) => fields.object),
    ["ns/half", "ns/many"],
  );
  await run.stop();
});

test("timer of an object whose period reaches beyond all dates does not fire, and keeps no other from firing", async () => {
  const log = createRecordingLogger();
  const run = running({
    log,
    period: ({ metadata }) => (metadata.name.startsWith("far") ? Number.MAX_VALUE : "10s"),
    doublings: ({ metadata }) => (metadata.name.startsWith("far") ? 10 : 0),
  });
  for (let n = 0; n < 8; n += 1) run.cache.put(Bucket, bucket(`far-${n}`));
  run.cache.put(Bucket, bucket("near"));
  run.start();
  await run.clock.advance("100s");
  assert.deepEqual(
    run.fired.map(({ name }) => name),
    Array.from({ length: 10 }, () => "near"),
  );
  assert.equal(log.lines.filter(({ level }) => level === "error").length, 8);
  await run.stop();
});

test("timer refuses a floor of 0", () => {
  assert.throws(
    () => timerSource(Bucket, { period, floor: 0 }),
    (error) => isCodedError(error, "InvalidOption"),
  );
});
