import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError, messageOf } from "../error/coded-error.ts";
import type { Instant } from "./instant.ts";

// What every Clock does; virtual time, where it can be told to the millisecond.

test("clock runs a scheduled callback once, when its time has come and not before", async () => {
  const clock = createVirtualClock();
  const runs: number[] = [];
  clock.schedule("2s", () => runs.push(clock.elapsed()));
  await clock.advance(1_999);
  assert.deepEqual(runs, []);
  await clock.advance("1m");
  assert.deepEqual(runs, [2_000]);
});

test("clock does not run a callback that was disposed of, at its time neither", async () => {
  const clock = createVirtualClock();
  let runs = 0;
  const late = clock.schedule("1s", () => {
    runs += 1;
  });
  clock.schedule("1s", () => late[Symbol.dispose]());
  const early = clock.schedule("1s", () => {
    runs += 1;
  });
  early[Symbol.dispose]();
  await clock.advance("1m");
  assert.equal(runs, 1);
  late[Symbol.dispose]();
});

test("clock refuses to schedule for a duration that is none", () => {
  assert.throws(() => createVirtualClock().schedule(-1, () => {}), { code: "InvalidDuration" });
});

// Promise 14
test("clock ends a sleep with the reason of its signal and frees its timer", async () => {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const reason = new Error("stop");
  const sleep = assert.rejects(clock.sleep("1h", stop.signal), reason);
  await clock.advance("1m");
  stop.abort(reason);
  await sleep;
  assert.equal(clock.pendingTimers, 0);
  await assert.rejects(clock.sleep("1h", stop.signal), reason);
  assert.equal(clock.pendingTimers, 0);
});

test("clock leaves no listener on a signal whose sleeps are over", async () => {
  const clock = createVirtualClock();
  const { signal } = new AbortController();
  const open = listenersOf(signal);
  const sleep = clock.sleep("1s", signal);
  assert.equal(open(), 1);
  await clock.advance("1s");
  await sleep;
  assert.equal(open(), 0);
});

// B44
test("clock ticks on the grid of its start, however long the consumer takes for each", async () => {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const ticks: number[] = [];
  const startMs = clock.now().getTime();
  const consumer = (async () => {
    for await (const at of clock.ticks("60s", stop.signal)) {
      ticks.push(at.getTime() - startMs);
      await clock.sleep(250);
    }
  })();
  await clock.advance("30m");
  stop.abort();
  await clock.advance("1s");
  await consumer;
  assert.deepEqual(
    ticks,
    Array.from({ length: 30 }, (_, index) => (index + 1) * 60_000),
  );
});

// B41
test("clock merges the ticks that pass while the consumer is busy into one, and stays on its grid", async () => {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const ticks: number[] = [];
  const consumer = (async () => {
    for await (const _ of clock.ticks("1s", stop.signal)) {
      ticks.push(clock.elapsed());
      await clock.sleep(ticks.length === 1 ? 3_500 : 100);
    }
  })();
  await clock.advance("7s");
  stop.abort();
  await clock.advance("1s");
  await consumer;
  assert.deepEqual(ticks, [1_000, 4_500, 5_000, 6_000, 7_000]);
});

test("clock ticks once an interval for a consumer that takes exactly one", async () => {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const ticks: number[] = [];
  const consumer = (async () => {
    for await (const _ of clock.ticks("1s", stop.signal)) {
      ticks.push(clock.elapsed());
      await clock.sleep("1s");
    }
  })();
  await clock.advance("5s");
  stop.abort();
  await clock.advance("1s");
  await consumer;
  assert.deepEqual(ticks, [1_000, 2_000, 3_000, 4_000, 5_000]);
});

test("clock neither skips nor repeats a tick at intervals that no binary fraction holds", async () => {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const ticks: number[] = [];
  const consumer = (async () => {
    for await (const _ of clock.ticks(0.1, stop.signal)) ticks.push(clock.elapsed());
  })();
  await clock.advance(100.05);
  stop.abort();
  await consumer;
  assert.equal(ticks.length, 1_000);
  ticks.forEach((at, index) => {
    assert.ok(Math.abs(at - (index + 1) * 0.1) < 1e-9, `tick ${index + 1} came at ${at}`);
  });
});

test("clock ticks by elapsed time when the wall clock jumps", async () => {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const ticks: Instant[] = [];
  const consumer = (async () => {
    for await (const at of clock.ticks("1m", stop.signal)) ticks.push(at);
  })();
  await clock.advance("1m");
  clock.jump(3_600_000);
  await clock.advance("1m");
  stop.abort();
  await consumer;
  assert.deepEqual(
    ticks.map((at) => at.toISOString()),
    ["2030-01-01T00:01:00.000Z", "2030-01-01T01:02:00.000Z"],
  );
});

test("clock ends its ticks without an error and without a timer when the signal aborts", async () => {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const ticks = clock.ticks("1s", stop.signal)[Symbol.asyncIterator]();
  const next = ticks.next();
  await clock.settle();
  stop.abort();
  assert.deepEqual(await next, { done: true, value: undefined });
  assert.equal(clock.pendingTimers, 0);
  const { done } = await clock.ticks("1s", stop.signal)[Symbol.asyncIterator]().next();
  assert.equal(done, true);
});

test("clock refuses to tick without a pause", async () => {
  const ticks = createVirtualClock().ticks(0, new AbortController().signal);
  await assert.rejects(ticks[Symbol.asyncIterator]().next(), {
    code: "InvalidDuration",
    message: "Cannot tick: the interval is 0, give one above 0",
  });
});

// Promise 14
test("clock aborts a timeout's signal with a coded error that names the duration", async () => {
  const clock = createVirtualClock();
  const signal = clock.timeout("5s");
  await clock.advance(4_999);
  assert.equal(signal.aborted, false);
  await clock.advance(1);
  assert.ok(isCodedError(signal.reason, "Timeout"));
  assert.equal(signal.reason.message, "Cannot go on: the deadline of 5s has passed");
});

test("clock says in a timeout's error who did not answer, and the unit of a number", async () => {
  const clock = createVirtualClock();
  const signals = [clock.timeout(5_000), clock.timeout(5_000, undefined, { waitsFor: "the API server" })];
  await clock.advance("5s");
  assert.deepEqual(
    signals.map(({ reason }) => messageOf(reason)),
    ["Cannot go on: the deadline of 5000 ms has passed", "Cannot go on: the API server did not answer within 5000 ms"],
  );
});

test("clock aborts a timeout's signal with its parent's reason, and frees the timer", async () => {
  const clock = createVirtualClock();
  const parent = new AbortController();
  const signal = clock.timeout("5s", parent.signal);
  const reason = new Error("stop");
  parent.abort(reason);
  assert.equal(signal.reason, reason);
  assert.equal(clock.pendingTimers, 0);
  assert.equal(clock.timeout("5s", parent.signal).reason, reason);
  assert.equal(clock.pendingTimers, 0);
});

test("clock lets go of timer and parent when a timeout is disposed of or has passed", async () => {
  const clock = createVirtualClock();
  const parent = new AbortController();
  const open = listenersOf(parent.signal);
  let kept: AbortSignal | undefined;
  {
    using signal = clock.timeout("5s", parent.signal);
    kept = signal;
    assert.equal(clock.pendingTimers, 1);
    assert.equal(open(), 1);
  }
  assert.equal(clock.pendingTimers, 0);
  assert.equal(open(), 0);
  clock.timeout("5s", parent.signal);
  await clock.advance("5s");
  assert.equal(open(), 0);
  parent.abort();
  assert.equal(kept.aborted, false);
});

/** Counts the abort listeners that a signal has, from now on. */
function listenersOf(signal: AbortSignal): () => number {
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...parameters: Parameters<typeof add>) => {
    listeners.add(parameters[1]);
    add(...parameters);
  };
  signal.removeEventListener = (...parameters: Parameters<typeof remove>) => {
    listeners.delete(parameters[1]);
    remove(...parameters);
  };
  return () => listeners.size;
}
