import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import fc from "fast-check";
import { createTaskScope } from "../flow/task-scope.ts";
import { createVirtualClock } from "./virtual-clock.ts";

test("virtual clock stands still until it is moved, from the time that it is given", async () => {
  const clock = createVirtualClock({ now: "2031-02-03T04:05:06Z" });
  assert.equal(clock.now().toISOString(), "2031-02-03T04:05:06.000Z");
  assert.equal(clock.elapsed(), 0);
  await clock.advance("1.5s");
  assert.equal(clock.now().toISOString(), "2031-02-03T04:05:07.500Z");
  assert.equal(clock.elapsed(), 1_500);
  assert.throws(() => createVirtualClock({ now: "soon" }), {
    code: "InvalidOption",
    message: 'Cannot start a virtual clock at "soon": give an RFC 3339 time',
  });
});

test("virtual clock fires timers by due time, equal ones in the order in which they were set", async () => {
  const delays = fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 20 }), cancelled: fc.boolean() }), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(delays, async (timers) => {
      const clock = createVirtualClock();
      const fired: { readonly index: number; readonly at: number }[] = [];
      timers.forEach(({ afterMs, cancelled }, index) => {
        const timer = clock.schedule(afterMs, () => fired.push({ index, at: clock.elapsed() }));
        if (cancelled) timer[Symbol.dispose]();
      });
      await clock.advance(20);
      const expected = timers
        .map(({ afterMs, cancelled }, index) => ({ index, at: afterMs, cancelled }))
        .filter(({ cancelled }) => !cancelled)
        .toSorted((a, b) => a.at - b.at)
        .map(({ index, at }) => ({ index, at }));
      assert.deepEqual(fired, expected);
      assert.equal(clock.pendingTimers, 0);
    }),
    { numRuns: 30 },
  );
});

test("virtual clock lets all work that a timer caused settle before the next one fires", async () => {
  const clock = createVirtualClock();
  const seen: string[] = [];
  const work = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    seen.push(`first at ${clock.elapsed()}`);
    await clock.sleep(1);
    seen.push(`slept until ${clock.elapsed()}`);
  };
  const scope = createTaskScope();
  clock.schedule(1, () => scope.run("work", work));
  clock.schedule(3, () => seen.push(`last at ${clock.elapsed()}`));
  await clock.advance(10);
  assert.deepEqual(seen, ["first at 1", "slept until 2", "last at 3"]);
});

test("virtual clock stands still while a wait outside of it is open", async () => {
  const clock = createVirtualClock();
  const seen: string[] = [];
  const work = async (): Promise<void> => {
    const text = await clock.outside(readFile(new URL(import.meta.url), "utf8"));
    seen.push(`read ${text.length > 0} at ${clock.elapsed()}`);
    await clock.outside(readFile(new URL(import.meta.url), "utf8"));
    seen.push(`read again at ${clock.elapsed()}`);
  };
  const scope = createTaskScope();
  clock.schedule(1, () => scope.run("work", work));
  clock.schedule(2, () => seen.push(`next at ${clock.elapsed()}`));
  await clock.advance(5);
  assert.deepEqual(seen, ["read true at 1", "read again at 1", "next at 2"]);
});

test("virtual clock stands still while one wait outside of it begins in the moment in which another ends", async () => {
  const clock = createVirtualClock();
  const first = readFile(new URL(import.meta.url));
  let ended = false;
  const second = async (): Promise<void> => {
    await first;
    await clock.outside(readFile(new URL(import.meta.url)));
    ended = true;
  };
  const both = [clock.outside(first), second()];
  await clock.settle();
  assert.ok(ended);
  await Promise.all(both);
});

test("virtual clock goes on after a wait outside of it has failed, and hands the failure on", async () => {
  const clock = createVirtualClock();
  const failure = new Error("no");
  await assert.rejects(clock.outside(Promise.reject(failure)), failure);
  await clock.advance("1s");
  assert.equal(clock.elapsed(), 1_000);
});

test("virtual clock moves the wall clock alone when it jumps", async () => {
  const clock = createVirtualClock();
  let fired = false;
  clock.schedule("1m", () => {
    fired = true;
  });
  clock.jump(3_600_000);
  await clock.settle();
  assert.equal(clock.now().toISOString(), "2030-01-01T01:00:00.000Z");
  assert.equal(clock.elapsed(), 0);
  assert.equal(fired, false);
});

test("virtual clock hands the error of a timer to whoever moves it", async () => {
  const clock = createVirtualClock();
  const failure = new Error("no");
  clock.schedule(1, () => {
    throw failure;
  });
  await assert.rejects(clock.advance(1), failure);
});

test("virtual clock says that what runs does not come to rest, instead of waiting for ever", async () => {
  const clock = createVirtualClock();
  let isOver = false;
  const spinning = (async (): Promise<void> => {
    while (!isOver) {
      using _ = clock.schedule("1h", () => {});
      await Promise.resolve();
    }
  })();
  await assert.rejects(clock.settle(), /^CodedError.*: Cannot come to rest: 50000 timers were set/);
  isOver = true;
  await spinning;
});

test("virtual clock refuses a jump that is no number, or to where no time can be told", () => {
  const clock = createVirtualClock();
  const before = clock.now().getTime();
  for (const byMs of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e15, -1e15]) {
    assert.throws(() => clock.jump(byMs), {
      code: "InvalidOption",
      message: `Cannot move the wall clock by ${byMs}: give milliseconds, below 0 to move it back, that leave it in the years 0 to 9999`,
    });
  }
  assert.equal(clock.now().getTime(), before);
});
