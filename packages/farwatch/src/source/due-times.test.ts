import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import { createDueTimes, type DueTimes } from "./due-times.ts";

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
  due.set("a", 10_000, 60_000);
  due.set("b", 5_000, 20_000);
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

test("due time that is set again on the same grid keeps its next point, and on another grid gets a new one", async () => {
  const clock = createVirtualClock();
  using due = createDueTimes(clock);
  due.set("a", 30_000, 60_000);
  const { fired, stop } = recorded(clock, due);
  await clock.advance("29s");
  due.set("a", 30_000, 60_000);
  await clock.advance("1s");
  due.set("a", 4_000, 5_000);
  await clock.advance("5s");
  due.set("a", 0, 3_600_000);
  await clock.advance("1m");
  due.delete("a");
  await clock.advance("2h");
  assert.deepEqual(fired, [
    ["a", 30],
    ["a", 34],
  ]);
  assert.equal(due.size, 0);
  await stop();
});

// B41
test("due times that pass while nobody asks merge into one", async () => {
  const clock = createVirtualClock();
  using due = createDueTimes(clock);
  due.set("a", 0, 1_000);
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
    due.set("a", 100_000, 300_000);
    due.set("b", 250_000, 300_000);
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
  due.set("a", 1_800_000, 3_600_000);
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
  due.set("a", 10_000, 60_000);
  const { fired, stop } = recorded(clock, due);
  await clock.advance("10s");
  clock.jump(-500);
  await clock.advance("10s");
  assert.deepEqual(fired, [["a", 10]]);
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
          due.set(key, phaseMs, periodMs);
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
