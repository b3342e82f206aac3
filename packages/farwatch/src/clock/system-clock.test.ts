import assert from "node:assert/strict";
import { test } from "node:test";
import { isCodedError } from "../error/coded-error.ts";
import { systemClock } from "./system-clock.ts";

test("system clock gives the wall time, and an elapsed time that only grows", () => {
  const beforeMs = Date.now();
  const nowMs = systemClock.now().getTime();
  assert.ok(beforeMs <= nowMs && nowMs <= Date.now());
  const first = systemClock.elapsed();
  assert.ok(first <= systemClock.elapsed());
});

test("system clock never ends a sleep early, whatever part of a millisecond it begins in", async () => {
  for (let round = 0; round < 40; round += 1) {
    const startMs = performance.now();
    while (performance.now() < startMs + (round % 10) / 10);
    const beganMs = systemClock.elapsed();
    await systemClock.sleep(2.5);
    assert.ok(systemClock.elapsed() - beganMs >= 2.5);
  }
});

test("system clock waits for a time that no single timer of Node reaches", async () => {
  const beyond = 2 ** 31;
  let fired = false;
  const timer = systemClock.schedule(beyond, () => {
    fired = true;
  });
  // Node turns a delay that it cannot hold into one of a millisecond.
  await systemClock.sleep(20);
  timer[Symbol.dispose]();
  assert.equal(fired, false);
});

test("system clock sleeps, ticks and times out like the virtual one", async () => {
  const stop = new AbortController();
  let ticks = 0;
  for await (const at of systemClock.ticks(5, stop.signal)) {
    assert.ok(at instanceof Date);
    ticks += 1;
    if (ticks === 3) stop.abort();
  }
  assert.equal(ticks, 3);

  const signal = systemClock.timeout(5);
  await systemClock.sleep(20);
  assert.ok(isCodedError(signal.reason, "Timeout"));

  const reason = new Error("stop");
  const controller = new AbortController();
  const sleep = systemClock.sleep("1h", controller.signal);
  controller.abort(reason);
  await assert.rejects(sleep, reason);
});

test("system clock gives a wait outside of it back as it is", async () => {
  assert.equal(await systemClock.outside(Promise.resolve(3)), 3);
  const failure = new Error("no");
  await assert.rejects(systemClock.outside(Promise.reject(failure)), failure);
});
