import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { answerWithin } from "./answer-within.ts";

function setUp() {
  const clock = createVirtualClock();
  const controller = new AbortController();
  return { clock, controller, how: { clock, signal: controller.signal, withinMs: 1_000, of: "it" } };
}

test("answerWithin gives what a function gives or throws, at once or later, and leaves no timer", async () => {
  const { clock, how } = setUp();
  const failure = new Error("no");
  const fails = (): never => {
    throw failure;
  };
  assert.equal(await answerWithin(() => 1, how), 1);
  assert.equal(await answerWithin(async () => 1, how), 1);
  await assert.rejects(answerWithin(fails, how), failure);
  await assert.rejects(
    answerWithin(async () => fails(), how),
    failure,
  );
  assert.equal(clock.pendingTimers, 0);
});

test("answerWithin waits so long, says who did not answer, and tells the function by its signal", async () => {
  const { clock, how } = setUp();
  let told: AbortSignal | undefined;
  const asking = answerWithin((signal) => {
    told = signal;
    return new Promise(() => {});
  }, how);
  const overdue = assert.rejects(
    asking,
    (error) => isCodedError(error, "Timeout") && /: it did not answer within 1000 ms$/.test(error.message),
  );
  await clock.advance(999);
  assert.equal(told?.aborted, false);
  await clock.advance(1);
  await overdue;
  assert.equal(told?.aborted, true);
});

test("answerWithin waits no longer than its signal", async () => {
  const { clock, controller, how } = setUp();
  const reason = new Error("no more");
  const asking = answerWithin(() => new Promise(() => {}), how);
  controller.abort(reason);
  await assert.rejects(asking, reason);
  assert.equal(clock.pendingTimers, 0);
});
