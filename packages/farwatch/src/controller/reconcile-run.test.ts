import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cache } from "../cache/cache.ts";
import type { LeaderClient } from "../client/client.ts";
import { RetryAfterError } from "../clock/retry-after-error.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { CodedError } from "../error/coded-error.ts";
import { silentLogger } from "../observe/logger.ts";
import type { Work } from "../queue/work-queue.ts";
import type { ReconcileContext, Reconciler } from "../reconcile/reconciler.ts";
import { TerminalError } from "../reconcile/terminal-error.ts";
import { createReconcileRun } from "./reconcile-run.ts";

const work: Work = { request: { namespace: "x", name: "a" }, key: "x/a", attempt: 1, waitedMs: 0, priority: 0 };

function setUp(reconcile: Reconciler, options: { timeoutMs?: number; maxAttempts?: number } = {}) {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const logged: string[] = [];
  const log = { ...silentLogger, error: (message: string) => logged.push(message), child: () => log };
  const run = createReconcileRun({
    reconcile,
    clock,
    // The reconcilers of these tests use neither client nor cache.
    ctx: {
      clock,
      log,
      signal: stop.signal,
      cache: undefined as unknown as Cache,
      client: undefined as unknown as LeaderClient,
      events: { record() {} },
    },
    timeoutMs: options.timeoutMs,
    graceMs: 2_000,
    maxAttempts: options.maxAttempts ?? Number.POSITIVE_INFINITY,
  });
  return { clock, stop, run, logged };
}

function throwing(error: unknown): Reconciler {
  return async () => {
    throw error;
  };
}

test("reconcileRun asks for nothing when the reconciler returns nothing", async () => {
  const { run } = setUp(async () => {});
  assert.deepEqual(await run(work), { outcome: { type: "done" }, result: "success" });
});

test("reconcileRun passes requeueAfter and the lane on", async () => {
  const { run } = setUp(async () => ({ requeueAfter: "5m", priority: 3 }));
  assert.deepEqual(await run(work), {
    outcome: { type: "done", requeueAfterMs: 300_000, priority: 3 },
    result: "requeue_after",
  });
});

// Promise 6
test("reconcileRun takes time from an error only when it is a RetryAfterError", async () => {
  const plain = setUp(throwing(Object.assign(new Error("busy"), { after: "9s", retryAfter: 9 })));
  assert.deepEqual((await plain.run(work)).outcome, { type: "failed", afterMs: undefined });
  const told = setUp(throwing(new RetryAfterError("9s")));
  assert.deepEqual((await told.run(work)).outcome, { type: "failed", afterMs: 9_000 });
});

test("reconcileRun ends a request for good at a TerminalError", async () => {
  const { run, logged } = setUp(throwing(new TerminalError("Cannot provision a: unknown region moon")));
  assert.deepEqual(await run(work), { outcome: { type: "ended" }, result: "terminal" });
  assert.deepEqual(logged, ["Reconcile failed for good"]);
});

// B83
test("reconcileRun ends a request when its attempts are used up", async () => {
  const { run } = setUp(throwing(new Error("no")), { maxAttempts: 4 });
  assert.equal((await run({ ...work, attempt: 3 })).outcome.type, "failed");
  assert.equal((await run({ ...work, attempt: 4 })).outcome.type, "ended");
});

test("reconcileRun runs a conflict again at once, ten times in a row at the most", async () => {
  const { run } = setUp(throwing(new CodedError("Conflict", "Cannot patch a: it was changed")));
  for (let i = 0; i < 10; i += 1) assert.equal((await run(work)).outcome.type, "again");
  assert.equal((await run(work)).outcome.type, "failed");
  assert.equal((await run(work)).outcome.type, "again", "and counts anew");
});

test("reconcileRun aborts the signal of a run that takes too long, and counts it as failed", async () => {
  let reason: unknown;
  const { clock, run, logged } = setUp(
    (_request, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reason = signal.reason;
          reject(signal.reason);
        });
      }),
    { timeoutMs: 5_000 },
  );
  const finished = run(work);
  await clock.advance("5s");
  assert.equal((await finished).outcome.type, "failed");
  assert.ok(reason);
  assert.deepEqual(logged, ["Reconcile failed"]);
  assert.equal(clock.pendingTimers, 0);
});

test("reconcileRun leaves a run time for a last status write after its deadline", async () => {
  const { clock, run, logged } = setUp(
    async (_request, ctx: ReconcileContext) => {
      await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
      await clock.sleep("1s"); // the write, which takes no signal
    },
    { timeoutMs: 5_000 },
  );
  const finished = run(work);
  await clock.advance("6s");
  assert.equal((await finished).result, "success");
  assert.deepEqual(logged, []);
});

test("reconcileRun names a run that goes on after its deadline and its grace", async () => {
  const { clock, run, logged } = setUp(() => clock.sleep("1m"), { timeoutMs: 5_000 });
  const finished = run(work);
  await clock.advance("7s");
  assert.deepEqual(logged, ["Reconcile goes on after its deadline: it does not honour ctx.signal"]);
  await clock.advance("1m");
  await finished;
});

test("reconcileRun gives causes back when a run ends because the controller stops", async () => {
  const { run, stop } = setUp(async (_request, { signal }) => {
    stop.abort(new Error("stopping"));
    signal.throwIfAborted();
  });
  assert.deepEqual(await run(work), { outcome: { type: "givenBack" }, result: "given_back" });
});

test("reconcileRun treats an error that only says RetryAfter as any other", async () => {
  const { run } = setUp(throwing(new CodedError("RetryAfter", "Cannot finish: it does not say when to try again")));
  assert.deepEqual(await run(work), { outcome: { type: "failed", afterMs: undefined }, result: "error" });
});

test("RetryAfterError takes no duration that is none, whatever its message", () => {
  for (const options of [undefined, { message: "Cannot finish now: the far side is busy" }])
    assert.throws(() => new RetryAfterError(-1, options), { code: "InvalidDuration" });
});

test("reconcileRun counts whatever is thrown as a failure, even what cannot be looked at", async () => {
  const refuse = (): never => {
    throw new Error("no");
  };
  const proxy = new Proxy({}, { has: refuse, get: refuse, getPrototypeOf: refuse });
  const spoiled = Object.assign(new RetryAfterError("1s"), { after: "soon" });
  for (const thrown of [proxy, spoiled, Symbol("x"), Object.create(null), undefined, null]) {
    const { run } = setUp(throwing(thrown));
    const { outcome, result } = await run(work);
    assert.deepEqual([outcome.type, result], ["failed", "error"]);
  }
});
