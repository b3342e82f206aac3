import assert from "node:assert/strict";
// biome-ignore lint/style/noRestrictedImports: what is read is somebody else's emitter.
import { EventEmitter } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import type { Acknowledgement } from "../event/source-event.ts";
import { eventsOf } from "../flow/events-of.ts";
import { type Logger, silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { iterableSource } from "./iterable-source.ts";
import { nextOnGrid } from "./phase.ts";
import { opened } from "./pushed-source.fixture.ts";
import type { Context, Source } from "./source.ts";

function watched<T>(source: Source<T>, clock: VirtualClock = createVirtualClock(), log: Logger = silentLogger) {
  const metrics = createMetrics();
  const hub = createScriptedHub({ clock, metrics, log });
  const watch = hub.subscribe(source, { name: "w" });
  return {
    clock,
    metrics,
    hub,
    watch,
    start: () => opened({ hub }).close,
  };
}

// Promise 3
// B73
test("iterable that polls goes on polling after a fetch threw, and after a stop and a start, and leaves no timer", async () => {
  const calls: number[] = [];
  async function* poll({ clock, signal }: Context) {
    const every = 10_000;
    for (;;) {
      const nowMs = clock.now().getTime();
      try {
        await clock.sleep(nextOnGrid(0, every, nowMs) - nowMs, signal);
      } catch {
        return;
      }
      calls.push(clock.elapsed() / 1_000);
      if (calls.length === 2) throw new Error("503");
      yield calls.length;
    }
  }
  const { clock, metrics, watch, start } = watched(iterableSource("invoices", poll));
  let stop = start();
  const objects: number[] = [];
  const reading = (async () => {
    for (let next = await watch.receive(); next !== undefined; next = await watch.receive()) {
      objects.push(next.event.object);
      next.hold.done();
    }
  })();
  await clock.advance("30s");
  assert.deepEqual(calls, [10, 20, 30]);
  const failures = metrics.counter({ name: "farwatch_source_failures_total", help: "", labelNames: ["source"] });
  assert.equal(failures.read({ source: "invoices" }), 1);
  await stop();
  assert.equal(clock.pendingTimers, 0);
  await clock.advance("1m");
  assert.deepEqual(calls, [10, 20, 30]);
  stop = start();
  await clock.advance("20s");
  assert.deepEqual(calls, [10, 20, 30, 100, 110]);
  await stop();
  await watch[Symbol.asyncDispose]();
  await reading;
  assert.deepEqual(objects, [1, 3, 4, 5]);
  assert.equal(clock.pendingTimers, 0);
});

test("iterable's values become events with acknowledgements where it says how", async () => {
  const settled: string[] = [];
  const messages = [
    { id: "m1", body: 1 },
    { id: "m2", body: 2 },
  ] as const;
  const source = iterableSource(
    "broker",
    async function* ({ signal }) {
      yield* messages;
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    },
    {
      durability: "origin",
      event: ({ id, body }: (typeof messages)[number]) => {
        const ack: Acknowledgement = {
          done: () => settled.push(`done ${id}`),
          retry: () => settled.push(`retry ${id}`),
        };
        return { type: "generic", object: body, ack };
      },
    },
  );
  const { watch, start } = watched(source);
  const stop = start();
  const first = await watch.receive();
  assert.equal(first?.event.object, 1);
  first?.hold.done();
  await stop();
  assert.deepEqual(settled, ["done m1", "retry m2"]);
});

test("iterable of an origin must give each event its acknowledgement", () => {
  const open = async function* () {
    yield 1;
  };
  // @ts-expect-error an origin needs `event`
  assert.throws(() => iterableSource("a", open, { durability: "origin" }), /event is missing, give a function$/);
  assert.equal(
    // @ts-expect-error its events need an ack
    iterableSource("b", open, { durability: "origin", event: (object: number) => ({ type: "generic", object }) })
      .delivery,
    "atLeastOnce",
  );
});

test("iterable that ignores the abort is closed by its return(), or left behind after the grace", async () => {
  for (const answers of [true, false]) {
    const pending = Promise.withResolvers<IteratorResult<number>>();
    const source = iterableSource<number>("deaf", () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => pending.promise,
        async return(): Promise<IteratorResult<number>> {
          const end: IteratorResult<number> = { done: true, value: undefined };
          if (answers) pending.resolve(end);
          return end;
        },
      }),
    }));
    const { clock, start, hub } = watched(source);
    const stop = start();
    await clock.settle();
    const stopped = stop();
    await clock.advance(answers ? 0 : "5s");
    await stopped;
    assert.equal(hub.states[0]?.phase, "waiting");
    assert.equal(clock.pendingTimers, 0);
  }
});

test("iterable whose value cannot become an event is closed, and a failing source", async () => {
  let closed = 0;
  async function* open() {
    try {
      yield 1;
    } finally {
      closed += 1;
    }
  }
  const source = iterableSource("odd", open, {
    event: () => {
      throw new Error("no such type");
    },
  });
  const { clock, start, hub } = watched(source);
  const stop = start();
  await clock.settle();
  assert.deepEqual([hub.states[0]?.phase, hub.states[0]?.lastError], ["failing", "no such type"]);
  assert.equal(closed, 1);
  await stop();
});

test("iterable that is a Node stream is read as fast as its events are taken, and destroyed when it shall end", async () => {
  const streams: Readable[] = [];
  let made = 0;
  const open = (): Readable => {
    const stream = new Readable({
      objectMode: true,
      highWaterMark: 4,
      read() {
        made += 1;
        this.push(made);
      },
    });
    streams.push(stream);
    return stream;
  };
  const { clock, start, watch } = watched(
    iterableSource<number>("numbers", open, { capacity: 2, maxUnacknowledged: 3 }),
  );
  let stop = start();
  await clock.settle();
  assert.ok(made <= 10, `${made} were read ahead`);
  const objects: unknown[] = [];
  for (let n = 0; n < 20; n += 1) {
    const next = await watch.receive();
    objects.push(next?.event.object);
    next?.hold.done();
  }
  assert.deepEqual(
    objects,
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  await stop();
  assert.ok(streams[0]?.destroyed);
  stop = start();
  await clock.settle();
  assert.equal(streams.length, 2);
  await stop();
  assert.ok(streams[1]?.destroyed);
});

test("iterable that is a Node stream and waits for data ends at once with its signal, and fails with its error", async () => {
  const log = createRecordingLogger();
  const streams: PassThrough[] = [];
  const open = (): PassThrough => {
    const stream = new PassThrough({ objectMode: true });
    streams.push(stream);
    return stream;
  };
  const { clock, start, hub } = watched(iterableSource("idle", open), createVirtualClock(), log);
  const stop = start();
  await clock.settle();
  streams[0]?.destroy(new Error("cut off"));
  await clock.settle();
  assert.deepEqual([hub.states[0]?.phase, hub.states[0]?.lastError], ["failing", "cut off"]);
  await clock.advance("2s");
  assert.equal(streams.length, 2);
  const before = log.lines.length;
  await stop();
  assert.ok(streams[1]?.destroyed);
  assert.equal(log.lines.length, before, "nothing is wrong with an end that was asked for");
  assert.equal(clock.pendingTimers, 0);
});

test("iterable of an emitter's events counts those that it drops, and leaves no listener", async () => {
  const emitter = new EventEmitter();
  const source = iterableSource("flags", (ctx) => eventsOf(emitter, "change", { ...ctx, capacity: 2 }), {
    event: ([object]) => ({ type: "generic", object }),
    capacity: 1,
  });
  const { clock, start, watch, metrics } = watched(source);
  const stop = start();
  await clock.settle();
  for (let n = 1; n <= 10; n += 1) emitter.emit("change", n);
  const drops = metrics.counter({
    name: "farwatch_source_dropped_events_total",
    help: "",
    labelNames: ["source", "watch"],
  });
  const objects: unknown[] = [];
  for (const _ of [1, 2, 3]) {
    const next = await watch.receive();
    objects.push(next?.event.object);
    next?.hold.done();
  }
  assert.deepEqual(objects, [1, 9, 10]);
  assert.equal(drops.read({ source: "flags", watch: "*" }), 7);
  await stop();
  assert.deepEqual([emitter.listenerCount("change"), emitter.listenerCount("error")], [0, 0]);
});

test("iterable source refuses what it cannot open, and a delivery and a durability that are none, when it is made", () => {
  assert.throws(() => iterableSource("flags", ["a"] as never), {
    code: "InvalidOption",
    message: "Cannot make source flags: it has nothing to open, give a function that gives the iterable",
  });
  for (const options of [{ delivery: "exactlyOnce" }, { durability: "forever" }, { event: "a" }]) {
    assert.throws(() => iterableSource("flags", async function* () {}, options as never), { code: "InvalidOption" });
  }
});
