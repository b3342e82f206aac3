import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { createDoorbell } from "./doorbell.ts";

function createStage() {
  const clock = createVirtualClock();
  const bell = createDoorbell(clock);
  const controller = new AbortController();
  return {
    clock,
    bell,
    controller,
    wait(atMostMs: number): { readonly over: boolean } {
      const state = { over: false };
      bell.wait(atMostMs, controller.signal).then(
        () => {
          state.over = true;
        },
        (error: unknown) => assert.fail(String(error)),
      );
      return state;
    },
  };
}

test("createDoorbell ends a wait when it rings, when the time is over, and when the signal aborts", async () => {
  const { clock, bell, controller, wait } = createStage();
  for (const end of [() => bell.ring(), () => clock.advance("1s"), () => controller.abort()]) {
    const state = wait(1_000);
    await clock.advance("999ms");
    assert.equal(state.over, false);
    await end();
    await clock.settle();
    assert.equal(state.over, true);
    assert.equal(clock.pendingTimers, 0);
  }
  const afterwards = wait(1_000);
  await clock.settle();
  assert.equal(afterwards.over, true);
});

test("createDoorbell remembers a ring that nobody waited for, once", async () => {
  const { clock, bell, wait } = createStage();
  bell.ring();
  bell.ring();
  const first = wait(1_000);
  await clock.settle();
  assert.equal(first.over, true);
  const second = wait(1_000);
  await clock.settle();
  assert.equal(second.over, false);
  await clock.advance("1s");
});

test("createDoorbell tells a ring, also one that nobody waited for, from the end of the time and from an abort", async () => {
  const { clock, bell, controller } = createStage();
  const whileWaiting = bell.wait(1_000, controller.signal);
  bell.ring();
  assert.equal(await whileWaiting, true);
  bell.ring();
  assert.equal(await bell.wait(1_000, controller.signal), true);
  const inSilence = bell.wait(1_000, controller.signal);
  await clock.advance("1s");
  assert.equal(await inSilence, false);
  const aborted = bell.wait(1_000, controller.signal);
  controller.abort();
  assert.equal(await aborted, false);
});
