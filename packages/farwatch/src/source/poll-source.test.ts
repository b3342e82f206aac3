import assert from "node:assert/strict";
import { test } from "node:test";
import { instantOf } from "../clock/instant.ts";
import { createScriptedCache } from "../doubles/scripted-cache.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import type { SourceEvent } from "../event/source-event.ts";
import { createCircuitBreaker } from "../limit/circuit-breaker.ts";
import { createRateLimiter } from "../limit/rate-limiter.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { defineBuiltin } from "../resource/define-builtin.ts";
import type { CustomObject, Resource } from "../resource/resource.ts";
import { phaseOf } from "./phase.ts";
import type { PollEachOptions } from "./poll-each.ts";
import type { PollListOptions } from "./poll-list.ts";
import { pollSource } from "./poll-source.ts";
import { opened, readAll } from "./pushed-source.fixture.ts";
import type { Source } from "./source.ts";

interface Image {
  readonly id: string;
  readonly size: number;
}

type Site = CustomObject<{ readonly url: string }, Record<never, never>>;
const Site: Resource<Site> = defineBuiltin({ group: "example.farwatch.dev", version: "v1", kind: "Site" });

function site(name: string): Site {
  return {
    apiVersion: Site.apiVersion,
    kind: "Site",
    metadata: { namespace: "ns", name, uid: `uid-${name}`, resourceVersion: "1" },
    spec: { url: `https://${name}.test` },
  };
}

/** On the grid of a source of this name that polls every ten seconds. */
const onGrid = instantOf(1_893_456_000_000 + phaseOf("poll", 10_000)).toISOString();

function setUp() {
  const clock = createVirtualClock({ now: onGrid });
  const metrics = createMetrics();
  const cache = createScriptedCache();
  const hub = createScriptedHub({ clock, cache, metrics });
  const count = (name: string): number =>
    metrics
      .counter({ name: `farwatch_source_${name}_total`, help: "", labelNames: ["source"] })
      .read({ source: "poll" });
  return { clock, metrics, cache, hub, count };
}
type Env = ReturnType<typeof setUp>;

/** A source that is open and read; `told` has each event in a line, and is emptied by `take`. */
function watched<T>({ hub, clock, cache }: Env, source: Source<T>, line: (event: SourceEvent<T>) => string) {
  const { told, leave } = readAll(hub.subscribe(source, { name: "w" }), line);
  let term = opened({ hub });
  const open = (): void => {
    term = opened({ hub });
  };
  const close = async (): Promise<void> => {
    await term.close();
    assert.equal(clock.pendingTimers, 0, "a timer is left");
  };
  return {
    open,
    close,
    take: (): readonly string[] => told.splice(0),
    async end(): Promise<void> {
      await close();
      await leave();
      assert.equal(cache.held, 0);
    },
  };
}

const imageLine = (event: SourceEvent<Image>): string => {
  const { type, object } = event;
  const text = `${type} ${object.id} ${object.size}`;
  if (type === "create") return event.inInitialList ? `${text} initial` : text;
  if (type === "update") return `${type} ${object.id} ${event.oldObject.size} to ${object.size}`;
  return type === "delete" && event.stateUnknown ? `${text} missed` : text;
};

/** A registry of images, and a source that polls it every ten seconds. */
function images(options: Partial<PollListOptions<Image>> = {}) {
  const stored = new Map<string, number>();
  const list = (): readonly Image[] => [...stored].map(([id, size]) => ({ id, size }));
  return { stored, source: pollSource<Image>({ every: "10s", list, key: ({ id }) => id, ...options }) };
}

// B73
test("pollSource polls on its grid after a poll that threw, counts that, and polls on when it is opened again", async () => {
  const env = setUp();
  const calls: number[] = [];
  const startMs = env.clock.elapsed();
  const { source } = images({
    async list() {
      calls.push((env.clock.elapsed() - startMs) / 1_000);
      if (calls.length === 3) throw new Error("connection reset");
      return [];
    },
  });
  const run = watched(env, source, imageLine);
  await env.clock.advance("20s");
  assert.deepEqual(calls, [0, 10, 20]);
  assert.equal(env.hub.states[0]?.phase, "failing");
  assert.equal(env.hub.states[0]?.lastError, "connection reset");
  await env.clock.advance("10s");
  assert.equal(env.hub.states[0]?.phase, "serving");
  assert.equal(env.hub.states[0]?.restarts, 0);
  assert.equal(env.count("failed_polls"), 1);
  await env.clock.advance("5s");
  await run.close();
  run.open();
  await env.clock.advance("15s");
  assert.deepEqual(calls, [0, 10, 20, 30, 40, 50], "closed and opened within a period");
  await run.close();
  await env.clock.advance("25s");
  run.open();
  await env.clock.advance("10s");
  assert.deepEqual(calls.slice(6), [75, 80], "closed for longer than a period: at once, then on the grid");
  assert.equal(env.count("polls"), 8);
  await run.end();
});

test("pollSource tells what is there at first, and what was created, updated and deleted after that", async () => {
  const env = setUp();
  const { stored, source } = images();
  stored.set("a", 1).set("b", 1);
  const run = watched(env, source, imageLine);
  await env.clock.settle();
  assert.deepEqual(run.take(), ["create a 1 initial", "create b 1 initial"]);
  await env.clock.advance("10s");
  assert.deepEqual(run.take(), []);
  stored.set("a", 2).set("c", 1).delete("b");
  await env.clock.advance("10s");
  assert.deepEqual(run.take(), ["update a 1 to 2", "create c 1", "delete b 1"]);
  await run.end();
});

test("pollSource that is opened again tells all that is there, and what was deleted meanwhile", async () => {
  const env = setUp();
  const { stored, source } = images();
  stored.set("a", 1).set("b", 1);
  const run = watched(env, source, imageLine);
  await env.clock.settle();
  await run.close();
  run.take();
  stored.delete("b");
  run.open();
  await env.clock.advance("10s");
  assert.deepEqual(run.take(), ["create a 1 initial", "delete b 1 missed"]);
  await run.end();
});

test("pollSource tells what is gone of that which is known from an earlier process, once", async () => {
  const env = setUp();
  let asked = 0;
  const { stored, source } = images({
    async *known() {
      asked += 1;
      yield { id: "a", size: 1 };
      yield { id: "gone", size: 7 };
    },
  });
  stored.set("a", 2);
  const run = watched(env, source, imageLine);
  await env.clock.advance("30s");
  assert.deepEqual(run.take(), ["create a 2 initial", "delete gone 7 missed"]);
  assert.equal(asked, 1);
  await run.end();
});

test("pollSource tells a deletion again that was given back, unless the thing is there again", async () => {
  const env = setUp();
  const { stored, source } = images();
  stored.set("a", 1).set("b", 1);
  const term = new AbortController();
  const watch = env.hub.subscribe(source, { name: "w" });
  const closed = env.hub.open("leader", term.signal);
  const next = async () => {
    const received = await watch.receive(AbortSignal.any([term.signal]));
    assert.ok(received);
    return received;
  };
  for (const _ of [1, 2]) (await next()).hold.done();
  stored.clear();
  await env.clock.advance("10s");
  for (const _ of [1, 2]) {
    const { event, hold } = await next();
    assert.equal(event.type, "delete");
    hold.giveBack();
  }
  stored.set("b", 1);
  await env.clock.advance("10s");
  assert.equal(imageLine((await next()).event), "delete a 1");
  await env.clock.advance("20s");
  assert.equal(env.hub.states[0]?.buffered, 0, "b is as it was told");
  term.abort();
  await env.clock.advance("10s");
  await closed;
  await watch[Symbol.asyncDispose]();
});

test("pollSource tells no update between things that are equal, but sees small changes add up", async () => {
  const env = setUp();
  const { stored, source } = images({ equal: (before, now) => Math.abs(before.size - now.size) < 10 });
  stored.set("a", 1);
  const run = watched(env, source, imageLine);
  for (let size = 1; size <= 12; size += 1) {
    stored.set("a", size);
    await env.clock.advance("10s");
  }
  assert.deepEqual(run.take(), ["create a 1 initial", "update a 1 to 11"]);
  await run.end();
});

test("pollSource takes a list of nothing for a failed poll, and deletes nothing", async () => {
  const env = setUp();
  const { stored, source } = images({ list: () => undefined });
  stored.set("a", 1);
  const run = watched(env, source, imageLine);
  await env.clock.settle();
  assert.deepEqual(run.take(), []);
  assert.equal(env.hub.states[0]?.lastError, "Cannot poll poll: its list gave nothing");
  await run.end();
});

test("pollSource takes a list that is none, and a thing without a key, for a failed poll, and says what to give", async () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [{ items: [] }, "its list gave what cannot be iterated, give an array or an async generator"],
    [5, "its list gave what cannot be iterated, give an array or an async generator"],
    [
      [{ id: "a", size: 1 }, { size: 2 }],
      "its key gave undefined for a thing of its list, give text that names the thing",
    ],
    [[{ id: 5, size: 1 }], "its key gave number for a thing of its list, give text that names the thing"],
  ];
  for (const [listed, problem] of cases) {
    const env = setUp();
    const run = watched(env, images({ list: () => listed as Image[] }).source, imageLine);
    await env.clock.settle();
    assert.deepEqual(run.take(), []);
    assert.equal(env.hub.states[0]?.lastError, `Cannot poll poll: ${problem}`);
    await run.end();
  }
});

test("pollSource never polls while a poll goes on, and gives up one that takes longer than its timeout", async () => {
  const env = setUp();
  let [running, most, calls] = [0, 0, 0];
  const { source } = images({
    timeout: "25s",
    async list({ clock, signal }) {
      running += 1;
      calls += 1;
      most = Math.max(most, running);
      try {
        await clock.sleep("1h", signal);
      } finally {
        running -= 1;
      }
      return [];
    },
  });
  const run = watched(env, source, imageLine);
  await env.clock.advance("59s");
  assert.equal(most, 1);
  assert.equal(calls, 2, "at 0 and at 30, which is the first point of the grid after 25");
  assert.equal(env.count("failed_polls"), 2);
  await run.end();
});

test("pollSource reads a list that has no end, and ignores its signal, no further than its timeout, or until it is closed", async () => {
  const env = setUp();
  let listed = 0;
  const paced = images({
    timeout: "5s",
    async *list({ clock }) {
      for (;;) {
        await clock.sleep("1s");
        listed += 1;
        yield { id: String(listed), size: 1 };
      }
    },
  });
  const run = watched(env, paced.source, imageLine);
  await env.clock.advance("9s");
  assert.equal(listed, 5, "one a second");
  assert.equal(env.count("failed_polls"), 1);
  const ending = run.end();
  await env.clock.advance("1s");
  await ending;

  listed = 0;
  const endless = images({
    name: "endless",
    async *list() {
      for (; listed < 100_000; listed += 1) yield { id: String(listed), size: 1 };
    },
  });
  await watched(env, endless.source, imageLine).end();
  assert.ok(listed < 1_000, `${listed} were listed`);
});

const siteLine = ({ type, object }: SourceEvent<{ readonly subject: Site; readonly value: number }>): string =>
  `${type} ${object.subject.metadata.name} ${object.value}`;

/** A source that polls sites, and what was asked of each. */
function sites(
  fetch: PollEachOptions<Site, number>["fetch"],
  options: Partial<PollEachOptions<Site, number>> = {},
): Source<{ readonly subject: Site; readonly value: number }> {
  return pollSource(Site, { name: "poll", period: () => "10s", fetch, ...options });
}

test("pollSource polls each object on its own grid, and tells what appeared, changed and disappeared", async () => {
  const env = setUp();
  const values = new Map([["a", 1]]);
  const askedMs: number[] = [];
  const source = sites(({ metadata }, { clock }) => {
    if (metadata.name === "a") askedMs.push(clock.now().getTime());
    return values.get(metadata.name);
  });
  for (const name of ["a", "b"]) env.cache.put(Site, site(name));
  const run = watched(env, source, siteLine);
  await env.clock.advance("10s");
  assert.deepEqual(run.take(), ["create a 1"]);
  values.set("a", 2).set("b", 5);
  await env.clock.advance("10s");
  assert.deepEqual(run.take().toSorted(), ["create b 5", "update a 2"]);
  values.delete("b");
  await env.clock.advance("10s");
  assert.deepEqual(run.take(), ["delete b 5"]);
  assert.deepEqual(
    askedMs.map((ms) => (ms - phaseOf("uid-a", 10_000)) % 10_000),
    [0, 0, 0],
  );
  await run.end();
});

test("pollSource polls an object no more that was deleted, and tells nothing of it; its namesake is polled anew", async () => {
  const env = setUp();
  let asked = 0;
  const source = sites(() => {
    asked += 1;
    return 1;
  });
  env.cache.put(Site, site("a"));
  const run = watched(env, source, siteLine);
  await env.clock.advance("10s");
  env.cache.remove(Site, { namespace: "ns", name: "a" });
  await env.clock.advance("1m");
  assert.equal(asked, 1);
  env.cache.put(Site, { ...site("a"), metadata: { ...site("a").metadata, uid: "uid-again" } });
  await env.clock.advance("10s");
  assert.deepEqual(run.take(), ["create a 1", "create a 1"]);
  await run.end();
});

test("pollSource tells in the first poll of an object that what its status says is gone", async () => {
  const env = setUp();
  const source = sites(() => undefined, { known: ({ metadata }) => (metadata.name === "a" ? 7 : undefined) });
  for (const name of ["a", "b"]) env.cache.put(Site, site(name));
  const run = watched(env, source, siteLine);
  await env.clock.advance("1m");
  assert.deepEqual(run.take(), ["delete a 7"]);
  await run.end();
});

test("pollSource goes on polling an object that fails, and all others, and is failing when all do", async () => {
  const env = setUp();
  const failing = new Set(["a"]);
  const asked: string[] = [];
  const source = sites(({ metadata: { name } }) => {
    asked.push(name);
    if (failing.has(name)) throw new Error(`${name} does not answer`);
    return 1;
  });
  for (const name of ["a", "b"]) env.cache.put(Site, site(name));
  const run = watched(env, source, siteLine);
  const phase = () => env.hub.states[0]?.phase;
  await env.clock.advance("30s");
  assert.deepEqual(asked.toSorted(), ["a", "a", "a", "b", "b", "b"]);
  assert.equal(env.count("failed_polls"), 3);
  assert.equal(phase(), "serving");
  failing.add("b");
  await env.clock.advance("10s");
  assert.equal(phase(), "failing");
  assert.match(String(env.hub.states[0]?.lastError), /does not answer/);
  await env.clock.advance("1m");
  assert.equal(phase(), "failing", "standing for ten seconds is no service");
  env.cache.remove(Site, { namespace: "ns", name: "b" });
  failing.clear();
  await env.clock.advance("10s");
  assert.equal(phase(), "serving");
  await run.end();
});

test("pollSource is not failing for the poll of an object that was deleted meanwhile", async () => {
  const env = setUp();
  const gone = Promise.withResolvers<number>();
  const source = sites(({ metadata: { name } }) => (name === "b" ? gone.promise : 1));
  for (const name of ["a", "b"]) env.cache.put(Site, site(name));
  const run = watched(env, source, siteLine);
  await env.clock.advance("10s");
  env.cache.remove(Site, { namespace: "ns", name: "b" });
  await env.clock.settle();
  gone.reject(new Error("b is not known"));
  await env.clock.settle();
  assert.equal(env.count("failed_polls"), 1);
  assert.equal(env.hub.states[0]?.phase, "serving");
  await run.end();
});

test("pollSource is not failing while an object that is polled answers, whatever failed of those that are polled no more", async () => {
  const env = setUp();
  const failing = new Set(["a", "b"]);
  const source = sites(
    ({ metadata: { name } }) => {
      if (failing.has(name)) throw new Error(`${name} does not answer`);
      return 1;
    },
    { period: ({ metadata }) => (metadata.labels?.paused === "true" ? undefined : "10s") },
  );
  for (const name of ["a", "c"]) env.cache.put(Site, site(name));
  const run = watched(env, source, siteLine);
  await env.clock.advance("10s");
  const { metadata, ...rest } = site("a");
  env.cache.put(Site, { ...rest, metadata: { ...metadata, resourceVersion: "2", labels: { paused: "true" } } });
  env.cache.put(Site, site("b"));
  const phases = new Set<unknown>();
  for (let second = 0; second < 30; second += 1) {
    await env.clock.advance("1s");
    phases.add(env.hub.states[0]?.phase);
  }
  assert.deepEqual(phases, new Set(["serving"]));
  await run.end();
});

test("pollSource asks a fetch that ignores its signal no second time before it has answered, and holds no other up", async () => {
  const env = setUp();
  const hung = Promise.withResolvers<number>();
  const asked: string[] = [];
  const source = sites(
    ({ metadata: { name } }) => {
      asked.push(name);
      return name === "a" ? hung.promise : 1;
    },
    { timeout: "2s", concurrency: 1 },
  );
  for (const name of ["a", "b"]) env.cache.put(Site, site(name));
  const run = watched(env, source, siteLine);
  await env.clock.advance("30s");
  assert.deepEqual(asked.toSorted(), ["a", "b", "b", "b"]);
  assert.equal(env.count("failed_polls"), 3);
  hung.resolve(9);
  await env.clock.advance("10s");
  assert.deepEqual(run.take().toSorted(), ["create a 9", "create b 1"]);
  await run.end();
});

test("pollSource polls objects that answer in time beside more that do not than there are places, and these no less than it can", async () => {
  const env = setUp();
  const askedAtMs = new Map<string, number[]>();
  let hangs = true;
  const source = sites(
    ({ metadata: { name } }, { clock, signal }) => {
      askedAtMs.set(name, [...(askedAtMs.get(name) ?? []), clock.elapsed()]);
      return name.startsWith("hung") && hangs ? clock.sleep("1h", signal).then(() => 1) : 1;
    },
    { timeout: "9s", concurrency: 4 },
  );
  const hung = Array.from({ length: 12 }, (_, index) => `hung${index}`);
  const well = Array.from({ length: 6 }, (_, index) => `well${index}`);
  for (const name of [...hung, ...well]) env.cache.put(Site, site(name));
  const run = watched(env, source, siteLine);
  await env.clock.advance("5m");
  for (const name of well) {
    // Whoever does not answer is known for it after one poll each, of which four go on at once.
    const times = (askedAtMs.get(name) ?? []).filter((atMs) => atMs > 60_000);
    assert.equal(times.length, 24, name);
    const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    assert.deepEqual(new Set(gaps), new Set([10_000]), name);
  }
  // Three places, nine seconds each.
  for (const name of hung) assert.ok((askedAtMs.get(name) ?? []).length >= 7, `${name} ${askedAtMs.get(name)}`);
  hangs = false;
  await env.clock.advance("30s");
  askedAtMs.clear();
  await env.clock.advance("1m");
  for (const name of [...hung, ...well]) assert.equal(askedAtMs.get(name)?.length, 6, name);
  await run.end();
});

test("pollSource has no more polls under way than its concurrency, and leaves none out", async () => {
  const env = setUp();
  let [running, most] = [0, 0];
  const asked = new Map<string, number>();
  const source = sites(
    async ({ metadata: { name } }, { clock, signal }) => {
      running += 1;
      most = Math.max(most, running);
      asked.set(name, (asked.get(name) ?? 0) + 1);
      await clock.sleep("1s", signal);
      running -= 1;
      return 1;
    },
    { concurrency: 3 },
  );
  for (let index = 0; index < 20; index += 1) env.cache.put(Site, site(`s${index}`));
  const run = watched(env, source, siteLine);
  await env.clock.advance("1m");
  assert.equal(most, 3);
  assert.equal(asked.size, 20);
  for (const times of asked.values()) assert.ok(times >= 4, `${times} polls in six periods`);
  await run.end();
});

test("pollSource polls no object whose events are not taken, and loses nothing of it", async () => {
  const env = setUp();
  let asked = 0;
  const source = sites(
    () => {
      asked += 1;
      return asked;
    },
    { capacity: 1 },
  );
  for (let index = 0; index < 40; index += 1) env.cache.put(Site, site(`s${index}`));
  const term = new AbortController();
  const watch = env.hub.subscribe(source, { name: "slow" });
  const closed = env.hub.open("leader", term.signal);
  await env.clock.advance("10m");
  assert.ok(asked < 40, `${asked} polls, though nobody reads`);
  const names = new Set<string>();
  while (names.size < 40) {
    const receiving = watch.receive();
    await env.clock.advance("1s");
    const received = await receiving;
    names.add(received?.event.object.subject.metadata.name ?? "");
    received?.hold.done();
  }
  term.abort();
  await closed;
  await watch[Symbol.asyncDispose]();
});

test("pollSource whose limiter holds up the objects of one far side polls those of another at their times", async () => {
  const env = setUp();
  const { clock } = env;
  const asked: string[] = [];
  const source = sites(({ metadata: { name } }) => asked.push(name), {
    limitKey: ({ metadata: { name } }) => name.slice(0, 4),
    rateLimiter: createRateLimiter({ name: "polls", perSecond: 0.2, clock }),
    concurrency: 1,
  });
  for (let n = 0; n < 20; n += 1) env.cache.put(Site, site(`slow-${n}`));
  env.cache.put(Site, site("free"));
  const run = watched(env, source, siteLine);
  await clock.advance("100s");
  assert.equal(asked.filter((name) => name === "free").length, 10);
  assert.ok(asked.filter((name) => name !== "free").length <= 21, "one in 5 s");
  await run.end();
});

test("pollSource polls no object that was deleted while it waited for its turn", async () => {
  const env = setUp();
  const { clock } = env;
  const asked: string[] = [];
  const source = sites(({ metadata: { name } }) => asked.push(name), {
    rateLimiter: createRateLimiter({ name: "polls", perSecond: 0.05, clock }),
  });
  for (const name of ["a", "b"]) env.cache.put(Site, site(name));
  const run = watched(env, source, siteLine);
  await clock.advance("10s");
  assert.equal(asked.length, 1);
  for (const name of ["a", "b"]) env.cache.remove(Site, { namespace: "ns", name });
  await clock.advance("1m");
  assert.equal(asked.length, 1);
  assert.equal(env.count("failed_polls"), 0);
  await run.end();
});

test("pollSource lets a rate limiter pace its polls and a circuit breaker stop them, each by key", async () => {
  const env = setUp();
  const { clock } = env;
  const asked: string[] = [];
  const source = sites(
    ({ metadata: { name } }) => {
      asked.push(name);
      if (name.startsWith("bad")) throw new Error("refused");
      return 1;
    },
    {
      limitKey: ({ metadata: { name } }) => name.slice(0, 3),
      rateLimiter: createRateLimiter({ name: "polls", perSecond: 1, clock }),
      circuitBreaker: createCircuitBreaker({ name: "polls", failures: 2, openFor: "1h", longestOpen: "1h", clock }),
    },
  );
  for (const name of ["bad-1", "bad-2", "bad-3", "good"]) env.cache.put(Site, site(name));
  const run = watched(env, source, siteLine);
  await clock.advance("5m");
  assert.equal(asked.filter((name) => name.startsWith("bad")).length, 2);
  assert.equal(asked.filter((name) => name === "good").length, 30);
  assert.equal(env.count("failed_polls"), 90, "a poll that is refused has failed too");
  await run.end();
});

test("pollSource of which one poll in three fails polls each object within its bound for a day, and tells every change", async () => {
  const env = setUp();
  const { clock, cache } = env;
  const periodMs = 300_000;
  const [first, last] = [new Map<string, number>(), new Map<string, number>()];
  let [longestMs, polls, failed] = [0, 0, 0];
  const startMs = clock.elapsed();
  const source = pollSource(Site, {
    name: "poll",
    period: () => periodMs,
    concurrency: 8,
    timeout: "20s",
    async fetch({ metadata: { uid } }, { clock: { elapsed, sleep, random }, signal }) {
      const nowMs = elapsed();
      longestMs = Math.max(longestMs, nowMs - (last.get(uid) ?? startMs));
      last.set(uid, nowMs);
      if (!first.has(uid)) first.set(uid, nowMs);
      polls += 1;
      if (random() < 1 / 3) {
        // Some refuse at once, some never answer.
        if (random() < 0.5) await sleep("1h", signal).catch(() => {});
        failed += 1;
        throw new Error("refused");
      }
      await sleep(Math.floor(random() * 2_000), signal);
      return Math.floor(nowMs / 3_600_000);
    },
  });
  for (let index = 0; index < 60; index += 1) cache.put(Site, site(`s${index}`));
  const heard = new Map<string, number>();
  const run = watched(env, source, (event) => {
    const { name } = event.object.subject.metadata;
    heard.set(name, event.object.value);
    return `${event.type} ${name}`;
  });
  await clock.advance("24h");
  // What is due while every place is taken comes a little later: by at most the polls before it, a second each at best.
  const slackMs = 30_000;
  assert.ok(longestMs <= periodMs + slackMs, `an object was not polled for ${longestMs} ms`);
  for (const [uid, ms] of last) assert.ok(clock.elapsed() - ms <= periodMs + slackMs, uid);
  assert.ok(polls >= 60 * 286, `${polls} polls`);
  assert.equal(env.count("failed_polls"), failed);
  assert.ok(failed > polls / 4 && failed < polls / 2, `${failed} of ${polls} polls failed`);
  assert.equal(heard.size, 60);
  for (const [name, hour] of heard) assert.ok(hour >= 22, `${name} was heard of last in hour ${hour}`);
  const lines = run.take();
  assert.equal(lines.filter((line) => line.startsWith("create")).length, 60);
  assert.ok(lines.length > 60 * 22 && lines.length <= 60 * 24, `${lines.length} events`);
  await run.end();
});

test("pollSource refuses options that no poll can have", () => {
  const list = () => [];
  const key = String;
  for (const make of [
    () => pollSource({ every: 0, list, key }),
    () => pollSource({ every: "1s", list, key, timeout: 0 }),
    () => pollSource(Site, { period: () => "1s", floor: 0, fetch: () => 1 }),
    () => pollSource(Site, { period: () => "1s", concurrency: 0, fetch: () => 1 }),
  ]) {
    assert.throws(make, (error) => isCodedError(error, "InvalidOption"));
  }
  assert.throws(() => pollSource({ every: "1s", list, key, timeout: "soon" as "1s" }), /soon/);
});
