import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Clock } from "../clock/clock.ts";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import { createDueTimes, type DueTimes } from "./due-times.ts";
import { type Grid, gridOf } from "./phase.ts";

/** Takes every key that comes due until the signal aborts, with the seconds that had passed. */
function recorded(clock: VirtualClock, due: DueTimes) {
  const controller = new AbortController();
  const fired: [key: string, atSeconds: number][] = [];
  const ended = (async () => {
    for (;;) fired.push([await due.next(controller.signal), clock.elapsed() / 1_000]);
  })().catch((reason: unknown) => {
    if (reason !== controller.signal.reason) throw reason;
  });
  return {
    fired,
    async stop(): Promise<void> {
      controller.abort(new Error("stop"));
      await ended;
    },
  };
}

test("due times fire at phase + n · period of the wall clock, in order, with one timer", async () => {
  const clock = createVirtualClock();
  using due = createDueTimes(clock);
  due.set("a", { phaseMs: 10_000, periodMs: 60_000 });
  due.set("b", { phaseMs: 5_000, periodMs: 20_000 });
  const { fired, stop } = recorded(clock, due);
  await clock.settle();
  assert.equal(clock.pendingTimers, 1);
  await clock.advance("70s");
  assert.deepEqual(fired, [
    ["b", 5],
    ["a", 10],
    ["b", 25],
    ["b", 45],
    ["b", 65],
    ["a", 70],
  ]);
  await stop();
  assert.equal(clock.pendingTimers, 0);
});

test("due time that is set again on the same grid keeps its next point, and on another grid gets a sooner one", async () => {
  const clock = createVirtualClock();
  using due = createDueTimes(clock);
  due.set("a", { phaseMs: 30_000, periodMs: 60_000 });
  const { fired, stop } = recorded(clock, due);
  await clock.advance("29s");
  due.set("a", { phaseMs: 30_000, periodMs: 60_000 });
  await clock.advance("1s");
  due.set("a", { phaseMs: 4_000, periodMs: 5_000 });
  await clock.advance("5s");
  due.set("a", { phaseMs: 0, periodMs: 3_600_000 });
  await clock.advance("1m");
  due.delete("a");
  await clock.advance("2h");
  assert.deepEqual(fired, [
    ["a", 30],
    ["a", 34],
    ["a", 39],
  ]);
  assert.equal(due.size, 0);
  await stop();
});

// B41
test("due times that pass while nobody asks merge into one", async () => {
  const clock = createVirtualClock();
  using due = createDueTimes(clock);
  due.set("a", { phaseMs: 0, periodMs: 1_000 });
  await clock.advance("10500ms");
  const { fired, stop } = recorded(clock, due);
  await clock.advance("1s");
  assert.deepEqual(fired, [
    ["a", 10.5],
    ["a", 11],
  ]);
  await stop();
});

test("due times stay on the wall clock's grid when it is set, fire no key at once and none later than a period", async () => {
  for (const jumpMs of [7_000_000, -7_000_000, 86_400_000 + 17_000]) {
    const clock = createVirtualClock();
    using due = createDueTimes(clock);
    due.set("a", { phaseMs: 100_000, periodMs: 300_000 });
    due.set("b", { phaseMs: 250_000, periodMs: 300_000 });
    const { fired, stop } = recorded(clock, due);
    await clock.advance("90s");
    clock.jump(jumpMs);
    await clock.advance("10m");
    const wall = fired.map(([key, at]) => [key, (at * 1_000 + jumpMs) % 300_000]);
    for (const [key, phaseMs] of wall)
      assert.equal((Number(phaseMs) + 300_000) % 300_000, key === "a" ? 100_000 : 250_000);
    for (const key of ["a", "b"]) {
      const times = fired.filter(([each]) => each === key).map(([, at]) => at);
      assert.ok((times[0] ?? Infinity) <= 90 + 30 + 300, `${key} waits at most a period after the step is noticed`);
      times.slice(1).forEach((at, index) => {
        assert.ok(at - (times[index] ?? 0) >= 300);
      });
    }
    await stop();
  }
});

test("due time of a rare key follows a wall clock that was set forward, within half a minute", async () => {
  const clock = createVirtualClock();
  using due = createDueTimes(clock);
  due.set("a", { phaseMs: 1_800_000, periodMs: 3_600_000 });
  const { fired, stop } = recorded(clock, due);
  await clock.advance("1m");
  clock.jump(1_700_000);
  await clock.advance("1m");
  assert.deepEqual(fired, [["a", 100]]);
  await stop();
});

test("due time fires once when the wall clock is slewed back across it", async () => {
  const clock = createVirtualClock();
  using due = createDueTimes(clock);
  due.set("a", { phaseMs: 10_000, periodMs: 60_000 });
  const { fired, stop } = recorded(clock, due);
  await clock.advance("10s");
  clock.jump(-500);
  await clock.advance("10s");
  assert.deepEqual(fired, [["a", 10]]);
  await stop();
});

test("due times of 100,000 keys take one timer of the clock at a time, and set it once for each time at which something is due", async () => {
  const clock = createVirtualClock();
  let scheduled = 0;
  let looks = 0;
  const counting: Clock = {
    ...clock,
    now() {
      looks += 1;
      return clock.now();
    },
    schedule(after, run, options) {
      scheduled += 1;
      return clock.schedule(after, run, options);
    },
  };
  using due = createDueTimes(counting);
  const periodMs = 100_000;
  for (let index = 0; index < 100_000; index += 1) due.set(`k${index}`, { phaseMs: index % 100, periodMs });
  assert.equal(clock.pendingTimers, 0);
  assert.equal(looks, 100_001, "a key is set without a look at the others");
  const { fired, stop } = recorded(clock, due);
  await clock.settle();
  looks = 0;
  for (let step = 0; step < 20; step += 1) {
    await clock.advance(1);
    assert.equal(clock.pendingTimers, 1);
  }
  // 1,000 keys are due at each millisecond.
  assert.equal(fired.length, 20_000);
  assert.ok(scheduled <= 21, `${scheduled} timers were set`);
  assert.ok(looks <= 20_000 + 2 * 21, `${looks} looks at the clock`);
  await stop();
});

test("due times never let a key wait for two periods, whatever is set and deleted", async () => {
  const command = fc.record({
    key: fc.constantFrom("a", "b", "c"),
    phaseMs: fc.integer({ min: 0, max: 999 }),
    periodMs: fc.constantFrom(1_000, 7_000, 60_000),
    deleted: fc.boolean(),
    thenMs: fc.integer({ min: 0, max: 90_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 8 }), async (commands) => {
      const clock = createVirtualClock();
      using due = createDueTimes(clock);
      const { fired, stop } = recorded(clock, due);
      const periods = new Map<string, number>();
      for (const { key, phaseMs, periodMs, deleted, thenMs } of commands) {
        if (deleted) {
          due.delete(key);
          periods.delete(key);
        } else {
          due.set(key, { phaseMs, periodMs });
          periods.set(key, periodMs);
        }
        const from = fired.length;
        const startMs = clock.elapsed();
        await clock.advance(thenMs);
        for (const each of ["a", "b", "c"]) {
          const times = fired.slice(from).flatMap(([fireKey, at]) => (fireKey === each ? [at * 1_000] : []));
          const period = periods.get(each);
          if (period === undefined) {
            assert.deepEqual(times, []);
            continue;
          }
          [startMs, ...times, clock.elapsed()].reduce((before, at) => {
            assert.ok(at - before <= period + 0.001, `${each} waited ${at - before} ms of ${period}`);
            return at;
          });
        }
      }
      await stop();
    }),
    { numRuns: 40 },
  );
});

test("due times of a key are never further apart than its longest period, however it changes between grids", async () => {
  const seconds = (max: number) => fc.integer({ min: 1, max }).map((count) => count * 1_000);
  const grid = fc.record({
    id: fc.constantFrom("a", "b"),
    baseMs: seconds(60),
    doublings: fc.integer({ min: -2, max: 3 }),
  });
  const change = fc.record({ to: fc.nat({ max: 3 }), afterMs: seconds(20) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(grid, { minLength: 4, maxLength: 4 }),
      fc.array(change, { minLength: 20, maxLength: 60 }),
      async (all, changes) => {
        const grids = all.map(({ id, baseMs, doublings }) => gridOf(id, baseMs, doublings));
        const clock = createVirtualClock();
        using due = createDueTimes(clock);
        const { fired, stop } = recorded(clock, due);
        const used = new Set<Grid>();
        for (const { to, afterMs } of changes) {
          const next = grids[to] ?? assert.fail();
          used.add(next);
          due.set("a", next);
          await clock.advance(afterMs);
        }
        await stop();
        const longestMs = Math.max(...[...used].map(({ periodMs }) => periodMs));
        const times = [0, ...fired.map(([, at]) => at * 1_000), clock.elapsed()];
        for (const [index, at] of times.slice(1).entries()) {
          const gapMs = at - (times[index] ?? 0);
          assert.ok(gapMs <= longestMs, `${gapMs} ms passed, where the longest period is ${longestMs} ms`);
        }
      },
    ),
  );
});

test("due time that waits for a point comes at it though its grid is another by then, and on the new grid alone after that", async () => {
  const clock = createVirtualClock();
  using due = createDueTimes(clock);
  due.set("a", { phaseMs: 30_000, periodMs: 60_000 });
  const { fired, stop } = recorded(clock, due);
  await clock.advance("10s");
  due.set("a", { phaseMs: 50_000, periodMs: 90_000 });
  await clock.advance("3m");
  assert.deepEqual(
    fired,
    [30, 50, 140].map((at) => ["a", at]),
  );
  await stop();
});
