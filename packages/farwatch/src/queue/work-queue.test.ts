import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { createDelivery, type EventPlace } from "../event/delivery.ts";
import { createWorkQueue } from "./create-work-queue.ts";
import type { Outcome, Work } from "./work-queue.ts";

const a = { namespace: "x", name: "a" };
const b = { namespace: "x", name: "b" };
const done: Outcome = { type: "done" };

function setUp(options: { maxWait?: number } = {}) {
  const clock = createVirtualClock();
  const queue = createWorkQueue({ clock: { ...clock, random: () => 1 }, ...options });
  const taken: string[] = [];
  /** Takes what is ready now, without waiting. */
  const takeNow = async (): Promise<Work | undefined> => {
    await clock.settle();
    return queue.depth === 0 ? undefined : await queue.next();
  };
  return { clock, queue, taken, takeNow };
}

async function mustTake(takeNow: () => Promise<Work | undefined>): Promise<Work> {
  const work = await takeNow();
  assert.ok(work, "a request is ready");
  return work;
}

function trackedCause(from?: EventPlace) {
  const settled: string[] = [];
  const ack = { done: () => settled.push("done"), retry: () => settled.push("retry") };
  const delivery = createDelivery(ack, { from });
  return { hold: delivery.hold(), settled, delivery };
}

test("workQueue hands a request out once however often it was added", async () => {
  const { queue, takeNow } = setUp();
  for (let i = 0; i < 5; i += 1) queue.add(a);
  assert.equal(queue.depth, 1);
  queue.finish(await mustTake(takeNow), done);
  assert.equal(await takeNow(), undefined);
});

// Promise 1
test("workQueue lets a waiting worker begin when nothing goes on by itself any more, so that what arrives together shares a run", async () => {
  const { clock, queue, takeNow } = setUp();
  const first = queue.next();
  const causes = [trackedCause({ source: queue, place: 1 }), trackedCause({ source: queue, place: 2 })];
  const arriving = (async (): Promise<void> => {
    for (let step = 0; step < 100; step += 1) {
      queue.add(a, { cause: step === 0 ? causes[0]?.hold : undefined });
      await Promise.resolve();
    }
    queue.add(a, { cause: causes[1]?.hold });
  })();
  const work = await first;
  assert.ok(work, "it is handed out");
  await arriving;
  assert.deepEqual(
    causes.map(({ settled }) => settled),
    [["done"], []],
    "the younger event stands for the older",
  );
  queue.finish(work, done);
  assert.deepEqual(causes[1]?.settled, ["done"]);
  await clock.settle();
  assert.equal(await takeNow(), undefined, "there was one run");
});

// Promise 6
// B33
test("workQueue runs a request once more when it was added while running, and never twice at once", async () => {
  const { queue, takeNow } = setUp();
  queue.add(a);
  const first = await mustTake(takeNow);
  for (let i = 0; i < 50; i += 1) queue.add(a);
  assert.equal(await takeNow(), undefined, "the key is with a worker");
  queue.finish(first, done);
  queue.finish(await mustTake(takeNow), done);
  assert.equal(await takeNow(), undefined);
});

// B64
test("workQueue keeps every key while all workers are busy", async () => {
  const { clock, queue } = setUp();
  const seen: string[] = [];
  let atOnce = 0;
  let most = 0;
  const worker = async (): Promise<void> => {
    for (let work = await queue.next(); work !== undefined; work = await queue.next()) {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await clock.sleep("1s");
      seen.push(work.request.name);
      atOnce -= 1;
      queue.finish(work, done);
    }
  };
  const workers = [worker(), worker()];
  for (let i = 0; i < 10; i += 1) queue.add({ name: `k${i}` });
  await clock.advance("5s");
  assert.equal(new Set(seen).size, 10);
  assert.equal(most, 2);
  queue.shutDown();
  await Promise.all(workers);
});

// B82
test("workQueue lets the earliest of several delayed adds win and forgets the others", async () => {
  const { clock, queue, takeNow } = setUp();
  queue.add(a, { afterMs: 60_000 });
  queue.add(a, { afterMs: 5_000 });
  queue.add(a, { afterMs: 120_000 });
  await clock.advance(4_999);
  assert.equal(await takeNow(), undefined);
  await clock.advance(1);
  queue.finish(await mustTake(takeNow), done);
  await clock.advance("10m");
  assert.equal(await takeNow(), undefined);
  assert.equal(queue.delayed, 0);
});

// B74
test("workQueue forgets failures at a success that asks for another run", async () => {
  const { clock, queue, takeNow } = setUp();
  queue.add(a);
  for (let i = 0; i < 5; i += 1) {
    queue.finish(await mustTake(takeNow), { type: "failed" });
    await clock.advance("1m");
  }
  for (let i = 0; i < 100; i += 1) {
    queue.finish(await mustTake(takeNow), { type: "done", requeueAfterMs: 60_000 });
    await clock.advance("1m");
  }
  const work = await mustTake(takeNow);
  assert.equal(work.attempt, 1);
  queue.finish(work, { type: "failed" });
  await clock.advance(199);
  assert.equal(await takeNow(), undefined);
  await clock.advance(1);
  assert.equal((await mustTake(takeNow)).attempt, 2);
});

test("workQueue doubles the delay of a failing request up to its limit", async () => {
  const { clock, queue, takeNow } = setUp();
  queue.add(a);
  for (const delayMs of [200, 400, 800, 1_600]) {
    queue.finish(await mustTake(takeNow), { type: "failed" });
    await clock.advance(delayMs - 1);
    assert.equal(await takeNow(), undefined, `not before ${delayMs} ms`);
    await clock.advance(1);
  }
  for (let i = 0; i < 20; i += 1) {
    queue.finish(await mustTake(takeNow), { type: "failed" });
    await clock.advance("5m");
  }
  assert.ok(await takeNow(), "never later than five minutes");
});

test("workQueue runs a failed request after exactly the time that its error names", async () => {
  const { clock, queue, takeNow } = setUp();
  queue.add(a);
  queue.finish(await mustTake(takeNow), { type: "failed", afterMs: 7_000 });
  await clock.advance(6_999);
  assert.equal(await takeNow(), undefined);
  await clock.advance(1);
  assert.equal((await mustTake(takeNow)).attempt, 2);
});

// Promise 6
test("workQueue clears pending delays when a run starts, and the run's outcome sets the next", async () => {
  const { clock, queue, takeNow } = setUp();
  queue.add(a);
  queue.finish(await mustTake(takeNow), { type: "done", requeueAfterMs: 30_000 });
  queue.add(a);
  queue.finish(await mustTake(takeNow), { type: "done", requeueAfterMs: 50_000 });
  await clock.advance(49_999);
  assert.equal(await takeNow(), undefined);
  await clock.advance(1);
  assert.ok(await takeNow());
});

// B40
test("workQueue runs a request at once that is added while it backs off", async () => {
  const { clock, queue, takeNow } = setUp();
  queue.add(a);
  queue.finish(await mustTake(takeNow), { type: "failed", afterMs: 300_000 });
  await clock.advance("1s");
  queue.add(a);
  queue.finish(await mustTake(takeNow), done);
  await clock.advance("10m");
  assert.equal(await takeNow(), undefined);
});

test("workQueue runs a conflict again at once without counting a failure", async () => {
  const { queue, takeNow } = setUp();
  queue.add(a);
  queue.finish(await mustTake(takeNow), { type: "again" });
  assert.equal((await mustTake(takeNow)).attempt, 1);
});

test("workQueue serves a higher lane first and each lane in order", async () => {
  const { queue, takeNow } = setUp();
  queue.add({ name: "low" }, { priority: -100 });
  queue.add({ name: "first" });
  queue.add({ name: "second" });
  queue.add({ name: "high" }, { priority: 10 });
  const order: string[] = [];
  for (let work = await takeNow(); work !== undefined; work = await takeNow()) order.push(work.request.name);
  assert.deepEqual(order, ["high", "first", "second", "low"]);
});

test("workQueue moves a waiting request to a higher lane when it is added there", async () => {
  const { queue, takeNow } = setUp();
  queue.add(a, { priority: -100 });
  queue.add(b);
  queue.add(a, { priority: 5 });
  assert.equal((await mustTake(takeNow)).request.name, "a");
  assert.equal((await mustTake(takeNow)).request.name, "b");
  assert.equal(await takeNow(), undefined, "the raised request stands in no second lane");
});

// Promise 7
test("workQueue takes a request that has waited ten seconds before any younger one of any lane", async () => {
  const { clock, queue, takeNow } = setUp();
  queue.add({ name: "old" }, { priority: -100 });
  await clock.advance("10s");
  queue.add({ name: "urgent" }, { priority: 100 });
  const work = await mustTake(takeNow);
  assert.equal(work.request.name, "old");
  assert.equal(work.waitedMs, 10_000);
});

// Promise 4
test("workQueue settles a cause when a run that started after the add has returned, not when it is retried", async () => {
  const { clock, queue, takeNow } = setUp();
  const early = trackedCause();
  const late = trackedCause();
  queue.add(a, { cause: early.hold });
  const first = await mustTake(takeNow);
  queue.add(a, { cause: late.hold });
  queue.finish(first, { type: "failed" });
  await clock.advance("1s");
  assert.deepEqual([early.settled, late.settled], [[], []]);
  queue.finish(await mustTake(takeNow), done);
  assert.deepEqual([early.settled, late.settled], [["done"], ["done"]]);
});

test("workQueue leaves a cause that came during a run to the next run", async () => {
  const { queue, takeNow } = setUp();
  const early = trackedCause();
  const late = trackedCause();
  queue.add(a, { cause: early.hold });
  const first = await mustTake(takeNow);
  queue.add(a, { cause: late.hold });
  queue.finish(first, done);
  assert.deepEqual([early.settled, late.settled], [["done"], []]);
  queue.finish(await mustTake(takeNow), { type: "ended" });
  assert.deepEqual(late.settled, ["done"]);
});

// Promise 4
test("workQueue is done with a cause when a younger one of its source waits for the same run, but not while its own run is under way", async () => {
  const { clock, queue, takeNow } = setUp();
  const source = {};
  const [first, second, third] = [1, 2, 3].map((place) => trackedCause({ source, place }));
  assert.ok(first && second && third);
  queue.add(a, { cause: first.hold });
  const run = await mustTake(takeNow);
  queue.add(a, { cause: second.hold });
  assert.deepEqual(first.settled, []);
  queue.finish(run, { type: "failed" });
  assert.deepEqual([first.settled, second.settled], [["done"], []]);
  assert.equal(second.delivery.stuckOn, "x/a");
  queue.add(a, { cause: third.hold });
  assert.deepEqual([second.settled, third.settled], [["done"], []]);
  assert.equal(third.delivery.stuckOn, "x/a", "its key fails already");
  await clock.advance("1s");
  const retry = await mustTake(takeNow);
  const fourth = trackedCause({ source, place: 4 });
  queue.add(a, { cause: fourth.hold });
  queue.finish(retry, done);
  assert.deepEqual([third.settled, fourth.settled], [["done"], []]);
  assert.equal(fourth.delivery.stuckOn, undefined, "its key fails no more");
});

test("workQueue gives causes back when it shuts down", async () => {
  const { queue, takeNow } = setUp();
  const [running, waiting, delayed, tooLate] = [trackedCause(), trackedCause(), trackedCause(), trackedCause()];
  queue.add(a, { cause: running.hold });
  const work = await mustTake(takeNow);
  queue.add(b, { cause: waiting.hold });
  queue.add({ name: "c" }, { cause: delayed.hold, afterMs: 1_000 });
  queue.shutDown();
  queue.add({ name: "d" }, { cause: tooLate.hold });
  queue.finish(work, { type: "failed" });
  for (const cause of [running, waiting, delayed, tooLate]) assert.deepEqual(cause.settled, ["retry"]);
  assert.equal(await queue.next(), undefined);
});

test("workQueue holds one timer of the clock however many requests wait", async () => {
  const { clock, queue } = setUp();
  for (let i = 0; i < 1_000; i += 1) queue.add({ name: `k${i}` }, { afterMs: 1_000 + i });
  assert.equal(clock.pendingTimers, 1);
  await clock.advance("1m");
  assert.equal(queue.depth, 1_000);
  assert.equal(clock.pendingTimers, 0);
});

test("workQueue refuses to finish a work twice", async () => {
  const { queue, takeNow } = setUp();
  queue.add(a);
  const work = await mustTake(takeNow);
  queue.finish(work, done);
  assert.throws(() => queue.finish(work, done), { code: "Internal" });
});

type Step =
  | {
      readonly op: "add";
      readonly key: number;
      readonly source: number;
      readonly afterMs: number;
      readonly priority: number;
    }
  | { readonly op: "take" }
  | { readonly op: "finish"; readonly outcome: Outcome["type"] }
  | { readonly op: "advance"; readonly ms: number };

test("workQueue loses no request and settles every cause once, whatever is done to it", async () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      op: fc.constant("add" as const),
      key: fc.nat(4),
      source: fc.nat(1),
      afterMs: fc.constantFrom(0, 0, 10, 500),
      priority: fc.constantFrom(-100, 0, 7),
    }),
    fc.constant({ op: "take" as const }),
    fc.record({
      op: fc.constant("finish" as const),
      outcome: fc.constantFrom("done" as const, "failed" as const, "again" as const, "ended" as const),
    }),
    fc.record({ op: fc.constant("advance" as const), ms: fc.nat(1_000) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { clock, queue, takeNow } = setUp();
      const running: Work[] = [];
      const sources = [{}, {}];
      const causes: { readonly key: string; readonly source: number; readonly settled: string[]; waits: boolean }[] =
        [];
      for (const s of steps) {
        if (s.op === "add") {
          const cause = trackedCause({ source: sources[s.source] ?? {}, place: causes.length });
          causes.push({ key: `k${s.key}`, source: s.source, settled: cause.settled, waits: true });
          queue.add({ name: `k${s.key}` }, { afterMs: s.afterMs, priority: s.priority, cause: cause.hold });
        } else if (s.op === "take") {
          const work = await takeNow();
          if (work === undefined) continue;
          assert.ok(!running.some((other) => other.request.name === work.request.name), "one worker a key");
          running.push(work);
          for (const cause of causes) if (cause.key === work.request.name) cause.waits = false;
        } else if (s.op === "finish") {
          const work = running.shift();
          if (work !== undefined) queue.finish(work, { type: s.outcome });
        } else await clock.advance(s.ms);
        const ofOne = Map.groupBy(causes, ({ key, source }) => `${key} ${source}`);
        for (const [one, own] of ofOne) {
          const open = own.filter(({ settled }) => settled.length === 0);
          assert.ok(open.length <= 2, `${one} holds one event for the run under way and one for the next`);
          const youngest = own.at(-1);
          if (youngest?.waits) assert.ok(open.includes(youngest), `${one} holds the youngest event until its run`);
        }
      }
      for (const work of running) queue.finish(work, done);
      await clock.advance("1h");
      for (let work = await takeNow(); work !== undefined; work = await takeNow()) queue.finish(work, done);
      for (const cause of causes) assert.deepEqual(cause.settled, ["done"]);
      assert.deepEqual([queue.depth, queue.delayed], [0, 0]);
      assert.equal(clock.pendingTimers, 0);
    }),
    { numRuns: 200 },
  );
});
