import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { createBreather } from "./breather.ts";
import { systemClock } from "./system-clock.ts";

test("breather lets a hundred pieces of work pass, or as many as it is told, then has everybody wait for one turn of the event loop", async () => {
  for (const { options, most } of [{ most: 100 }, { options: { pieces: 3 }, most: 3 }]) {
    const breathe = createBreather(createVirtualClock(), options);
    for (let round = 0; round < 3; round += 1) {
      for (let piece = 0; piece < most; piece += 1) assert.equal(breathe(), undefined);
      const turn = breathe();
      assert.notEqual(turn, undefined);
      assert.equal(breathe(), turn);
      await turn;
    }
  }
});

test("breather has the next piece of work wait for a turn when 20 ms have passed without one", async () => {
  let nowMs = 0;
  const breathe = createBreather({ ...createVirtualClock(), elapsed: () => nowMs });
  assert.equal(breathe(), undefined);
  nowMs = 20;
  const turn = breathe();
  assert.notEqual(turn, undefined);
  await turn;
  assert.equal(breathe(), undefined);
});

test("breather has nobody wait where the event loop has turned meanwhile", async () => {
  const clock = createVirtualClock();
  const breathe = createBreather(clock);
  for (let piece = 0; piece < 100; piece += 1) assert.equal(breathe(), undefined);
  await clock.advance(20);
  assert.equal(breathe(), undefined);
});

test("breather lets timers fire between pieces of work that wait for nothing", async () => {
  const breathe = createBreather(systemClock);
  let fired = false;
  systemClock.schedule(0, () => {
    fired = true;
  });
  while (!fired) await breathe();
});
