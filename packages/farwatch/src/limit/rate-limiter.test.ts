import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { createRateLimiter } from "./rate-limiter.ts";

test("rate limiter lets a burst through, then paces calls of a key in their order, and other keys are free", async () => {
  const clock = createVirtualClock();
  const limiter = createRateLimiter({ name: "l", perSecond: 2, burst: 3, clock });
  const turns: string[] = [];
  const call = async (key: string, n: number): Promise<void> => {
    await limiter.take(key);
    turns.push(`${key}${n} at ${clock.elapsed()}`);
  };
  const all = [1, 2, 3, 4, 5].map((n) => call("a", n));
  all.push(call("b", 1));
  await clock.advance("10s");
  await Promise.all(all);
  const start = 0;
  assert.deepEqual(
    turns,
    ["a1", "a2", "a3", "b1"].map((name) => `${name} at ${start}`).concat(["a4 at 500", "a5 at 1000"]),
  );
});

test("rate limiter never exceeds its rate over any window", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 100 }),
      (perSecond, burst, pauses) => {
        let nowMs = 0;
        const clock = { ...createVirtualClock(), elapsed: () => nowMs };
        const limiter = createRateLimiter({ name: "l", perSecond, burst, clock });
        const taken: number[] = [];
        for (const pause of pauses) {
          nowMs += pause;
          if (limiter.tryTake("k") === 0) taken.push(nowMs);
        }
        for (const [first, fromMs] of taken.entries()) {
          for (const [last, toMs] of taken.entries()) {
            if (last < first) continue;
            const allowed = burst + ((toMs - fromMs) / 1_000) * perSecond;
            assert.ok(last - first + 1 <= allowed + 1e-6, `${last - first + 1} calls in ${toMs - fromMs} ms`);
          }
        }
        assert.equal(taken[0], pauses[0], "the first call is free");
      },
    ),
  );
});

test("rate limiter refuses a turn that would come too late, says when to come back, and takes nothing", async () => {
  const clock = createVirtualClock();
  const metrics = createMetrics();
  const limiter = createRateLimiter({ name: "l", perSecond: 1, longestWait: "2s", clock, metrics });
  const waiting = [limiter.take("a"), limiter.take("a"), limiter.take("a")];
  for (let tries = 0; tries < 5; tries += 1) {
    await assert.rejects(limiter.take("a"), (error) => {
      assert.ok(isCodedError(error, "RetryAfter"));
      assert.match(error.message, /^Cannot call a: rate limiter l would let it wait 3000 ms, longer than 2000 ms/);
      return true;
    });
  }
  assert.equal(limiter.tryTake("a"), 3_000);
  await clock.advance("3s");
  await Promise.all(waiting);
  assert.equal(limiter.tryTake("a"), 0);
  const { body } = await metrics.expose();
  assert.match(body, /farwatch_rate_limiter_refused_total\{limiter="l"\} 6/);
  assert.match(body, /farwatch_rate_limiter_wait_seconds_count\{limiter="l"\} 3/);
});

test("rate limiter lets those behind move up when a caller that waits is aborted, and keeps its rate", async () => {
  const clock = createVirtualClock();
  const limiter = createRateLimiter({ name: "l", perSecond: 1, clock, longestWait: "3s" });
  const turns: string[] = [];
  const controllers = [1, 2, 3, 4].map(() => new AbortController());
  const call = async (n: number): Promise<void> => {
    try {
      await limiter.take("a", controllers[n]?.signal);
      turns.push(`${n} at ${clock.elapsed()}`);
    } catch (error) {
      turns.push(`${n} ${error instanceof Error ? error.message : error}`);
    }
  };
  const all = [0, 1, 2, 3].map(call);
  await clock.advance("500ms");
  controllers[1]?.abort(new Error("stopped"));
  controllers[2]?.abort(new Error("stopped"));
  // Room for one more, behind the one that is left.
  all.push(call(4));
  await clock.advance("10s");
  await Promise.all(all);
  assert.deepEqual(turns, ["0 at 0", "1 stopped", "2 stopped", "3 at 1000", "4 at 2000"]);
  assert.equal(clock.pendingTimers, 0);
});

test("rate limiter serves no more than a burst to those who wait while the process stood still", async () => {
  const clock = createVirtualClock();
  let standsMs = 0;
  const late = { ...clock, elapsed: () => clock.elapsed() + standsMs };
  const limiter = createRateLimiter({ name: "l", perSecond: 1, burst: 2, clock: late });
  let turns = 0;
  const all = Array.from({ length: 10 }, async () => {
    await limiter.take("a");
    turns += 1;
  });
  await clock.settle();
  standsMs = 20_000;
  await clock.advance("1s");
  assert.equal(turns, 4, "two at once, and two after the pause");
  await clock.advance("6s");
  await Promise.all(all);
});

test("rate limiter keeps a rate of several calls a millisecond", async () => {
  const clock = createVirtualClock();
  const limiter = createRateLimiter({ name: "l", perSecond: 3_000, burst: 1, clock });
  let turns = 0;
  const all = Array.from({ length: 600 }, async () => {
    await limiter.take("a");
    turns += 1;
  });
  await clock.advance("100ms");
  assert.ok(turns >= 295 && turns <= 305, `${turns} in 100 ms`);
  await clock.advance("1s");
  await Promise.all(all);
});

test("rate limiter reserves turns for those who come back for them, in their order and at its rate", async () => {
  const clock = createVirtualClock();
  const metrics = createMetrics();
  const limiter = createRateLimiter({ name: "l", perSecond: 4, burst: 2, longestWait: "1s", clock, metrics });
  assert.deepEqual(
    Array.from({ length: 8 }, () => limiter.reserve("a")),
    [0, 0, 250, 500, 750, 1_000, 1_250, 1_500],
  );
  assert.equal(limiter.reserve("b"), 0);
  assert.equal(limiter.tryTake("a"), 1_750, "reserved turns are taken");
  await assert.rejects(limiter.take("a"), { code: "RetryAfter" });
  await clock.advance("1s");
  assert.equal(limiter.reserve("a"), 750);
  assert.match((await metrics.expose()).body, /farwatch_rate_limiter_wait_seconds_count\{limiter="l"\} 10/);
  const waiting = limiter.take("a").then(() => clock.elapsed());
  assert.equal(limiter.reserve("a"), 1_000, "before those who wait");
  await clock.advance("1250ms");
  assert.equal(await waiting, 2_250);
});

test("rate limiter lets go of a caller that is aborted", async () => {
  const clock = createVirtualClock();
  const limiter = createRateLimiter({ name: "l", perSecond: 1, clock });
  await limiter.take("a");
  const controller = new AbortController();
  const waiting = limiter.take("a", controller.signal);
  controller.abort(new Error("stopped"));
  await assert.rejects(waiting, /stopped/);
  assert.equal(clock.pendingTimers, 0);
  await assert.rejects(limiter.take("a", controller.signal), /stopped/);
});

test("rate limiter remembers no more keys than it may, and forgets the least used ones", () => {
  const clock = createVirtualClock();
  const limiter = createRateLimiter({ name: "l", perSecond: 1, mostKeys: 2, clock });
  for (const key of ["a", "b"]) assert.equal(limiter.tryTake(key), 0);
  assert.equal(limiter.tryTake("c"), 0);
  assert.equal(limiter.tryTake("c"), 1_000);
  assert.equal(limiter.tryTake("b"), 1_000, "still known");
  assert.equal(limiter.tryTake("a"), 0, "forgotten, since it was not used for longest");
});

test("rate limiter refuses options that are none", () => {
  for (const options of [
    { perSecond: 0 },
    { perSecond: Number.NaN },
    { perSecond: 1e-310 },
    { perSecond: 1, burst: 0 },
    { perSecond: 1, mostKeys: 0 },
    { perSecond: 1, name: "" },
  ]) {
    assert.throws(
      () => createRateLimiter({ name: "l", ...options }),
      (error) => isCodedError(error, "InvalidOption"),
    );
  }
});
