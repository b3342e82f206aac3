import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { lateSignal } from "./late-signal.ts";

test("lateSignal aborts with the reason of the first, and so long after it, also when that has aborted already", async () => {
  for (const isEarly of [true, false]) {
    const clock = createVirtualClock();
    const first = new AbortController();
    const reason = new Error("closed");
    if (isEarly) first.abort(reason);
    using late = lateSignal(first.signal, { clock, afterMs: 2_000 });
    if (!isEarly) first.abort(reason);
    await clock.advance(1_999);
    assert.equal(late.aborted, false);
    await clock.advance(1);
    assert.equal(late.reason, reason);
  }
});

test("lateSignal leaves nothing behind when it is disposed of", async () => {
  const clock = createVirtualClock();
  const [before, after] = [new AbortController(), new AbortController()];
  const late = lateSignal(before.signal, { clock, afterMs: 2_000 });
  before.abort();
  late[Symbol.dispose]();
  const other = lateSignal(after.signal, { clock, afterMs: 2_000 });
  other[Symbol.dispose]();
  after.abort();
  assert.equal(clock.pendingTimers, 0);
  assert.deepEqual([late.aborted, other.aborted], [false, false]);
});
