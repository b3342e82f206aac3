import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { createSilenceDeadline } from "./silence-deadline.ts";

const setUp = () => {
  const clock = createVirtualClock();
  const parent = new AbortController();
  return { clock, parent, options: { clock, limitMs: 10_000, parent: parent.signal, doing: "watch pods" } };
};

test("silence deadline aborts when nothing was heard for its limit, and not before", async () => {
  const { clock, options } = setUp();
  using deadline = createSilenceDeadline(options);
  for (let i = 0; i < 5; i += 1) {
    await clock.advance("9s");
    deadline.heard();
  }
  await clock.advance(9_999);
  assert.equal(deadline.signal.aborted, false);
  await clock.advance(1);
  assert.equal(deadline.signal.reason.code, "WatchSilent");
  assert.equal(
    deadline.signal.reason.message,
    "Cannot watch pods: the server was silent for 10 s, the connection is taken for dead",
  );
});

test("silence deadline takes a new limit, shorter or longer", async () => {
  const { clock, options } = setUp();
  using deadline = createSilenceDeadline(options);
  await clock.advance("1s");
  deadline.heard(60_000);
  await clock.advance("59s");
  assert.equal(deadline.signal.aborted, false);
  deadline.heard(2_000);
  await clock.advance("1999ms");
  assert.equal(deadline.signal.aborted, false);
  await clock.advance("1ms");
  assert.equal(deadline.signal.aborted, true);
});

test("silence deadline aborts with its parent's reason, and leaves no timer", async () => {
  const { clock, parent, options } = setUp();
  const reason = new Error("stop");
  const deadline = createSilenceDeadline(options);
  const disposed = createSilenceDeadline(options);
  disposed[Symbol.dispose]();
  parent.abort(reason);
  assert.equal(deadline.signal.reason, reason);
  assert.equal(disposed.signal.aborted, false);
  assert.equal(createSilenceDeadline(options).signal.reason, reason);
  assert.equal(clock.pendingTimers, 0);
});
