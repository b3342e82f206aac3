import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { createDeadLetters, type DeadLettersOptions, type PoisonMessage } from "./dead-letters.ts";
import { message, unreadable } from "./told-message.fixture.ts";

function setUp(change: Partial<DeadLettersOptions> = {}) {
  const [clock, log, metrics] = [createVirtualClock(), createRecordingLogger(), createMetrics()];
  const end = new AbortController();
  const letters = createDeadLetters({
    source: "orders",
    clock,
    log,
    metrics,
    maxDeliveries: 3,
    onDeadLetter: undefined,
    ...change,
  });
  const counted = () =>
    metrics
      .counter({ name: "farwatch_source_dead_letters_total", help: "", labelNames: ["source"] })
      .read({ source: "orders" });
  return { clock, log, letters, counted, end };
}

test("dead letters are messages that cannot be read, and those that came more than maxDeliveries times", () => {
  const { letters } = setUp();
  assert.deepEqual(letters.open(message("1", { deliveries: 3 })), { type: "readable", object: "body 1" });
  assert.deepEqual(letters.open(message("1", { deliveries: 4 })), {
    type: "dead",
    reason: "it was handed over 3 times without an end",
  });
  assert.deepEqual(letters.open(message("1", { read: unreadable })), {
    type: "dead",
    reason: "its body cannot be read: Unexpected end at https://broker/",
  });
});

test("dead letter is handed to the hook with all that is known of it, counted, and logged without secrets", async () => {
  const taken: PoisonMessage[] = [];
  const onDeadLetter = (letter: PoisonMessage): void => {
    taken.push(letter);
  };
  const { letters, counted, log, end } = setUp({ onDeadLetter });
  const reason = "its body cannot be read";
  assert.equal(await letters.handOver(message("1"), { reason, signal: end.signal }), undefined);
  assert.deepEqual(taken, [{ source: "orders", id: "1", deliveries: 1, reason, message: "raw 1" }]);
  assert.equal(counted(), 1);
  assert.deepEqual(
    log.lines.map(({ level, fields }) => [level, fields]),
    [["error", { id: "1", deliveries: 1, reason }]],
  );
});

test("dead letter without a hook is logged and counted", async () => {
  const { letters, counted, end } = setUp();
  assert.equal(await letters.handOver(message("1"), { reason: "none", signal: end.signal }), undefined);
  assert.equal(counted(), 1);
});

test("dead letter may come again later and later while its hook throws, and is not counted", async () => {
  const onDeadLetter = async (): Promise<void> => {
    throw new Error("the dead-letter bucket is full");
  };
  const { letters, counted, end } = setUp({ onDeadLetter });
  for (const [deliveries, fullMs] of [
    [1, 1_000],
    [4, 1_000],
    [5, 2_000],
    [6, 4_000],
    [50, 60_000],
  ] as const) {
    const why = { reason: "none", signal: end.signal };
    const afterMs = (await letters.handOver(message("1", { deliveries }), why)) ?? Number.NaN;
    assert.ok(afterMs >= fullMs / 2 && afterMs <= fullMs, `${afterMs} ms of ${fullMs}`);
  }
  assert.equal(counted(), 0);
});

test("dead letter is waited for 30 s, and 2 s once its source closes", async () => {
  const { letters, clock, end, log } = setUp({ onDeadLetter: () => new Promise(() => {}) });
  for (const wait of ["30s", "2s"] as const) {
    let afterMs: number | undefined;
    const over = letters.handOver(message("1"), { reason: "none", signal: end.signal }).then((ms) => {
      afterMs = ms;
    });
    if (wait === "2s") end.abort(new Error("stop"));
    await clock.settle();
    assert.equal(afterMs, undefined);
    await clock.advance(wait);
    await over;
    assert.ok(afterMs);
  }
  assert.equal(log.lines.length, 2);
  assert.equal(clock.pendingTimers, 0);
});
