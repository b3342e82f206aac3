import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedCache } from "../doubles/scripted-cache.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { type TickerSourceOptions, tickerSource } from "./ticker-source.ts";

function ticking(options: TickerSourceOptions) {
  const clock = createVirtualClock();
  const metrics = createMetrics();
  const hub = createScriptedHub({ clock, metrics, cache: createScriptedCache(), log: silentLogger });
  const watch = hub.subscribe(tickerSource(options), { name: "w" });
  const controller = new AbortController();
  const closed = hub.open("leader", controller.signal);
  return {
    clock,
    metrics,
    watch,
    async stop(): Promise<void> {
      controller.abort();
      await closed;
    },
  };
}

// B44
test("ticker ticks start to start: work of 250 ms a tick does not shift the thirtieth", async () => {
  const { clock, watch, stop } = ticking({ every: "60s" });
  const at: number[] = [];
  const working = (async () => {
    while (at.length < 30) {
      const received = await watch.receive();
      at.push(clock.elapsed());
      assert.equal(received?.event.object.at.getTime(), clock.now().getTime());
      await clock.sleep("250ms");
      received?.hold.done();
    }
  })();
  await clock.advance("31m");
  await working;
  assert.equal(at[0], 60_000);
  assert.equal(at[29], 1_800_000);
  await stop();
  assert.equal(clock.pendingTimers, 0);
});

// B41
test("ticker has one tick waiting at the most behind slow work, and the others are counted", async () => {
  const { clock, watch, metrics, stop } = ticking({ every: "1s" });
  let runs = 0;
  const working = (async () => {
    for (let left = await watch.receive(); left !== undefined; left = await watch.receive()) {
      runs += 1;
      await clock.sleep("10s");
      left.hold.done();
    }
  })();
  await clock.advance("60s");
  assert.equal(runs, 6);
  const skipped = metrics.counter({
    name: "farwatch_source_coalesced_events_total",
    help: "",
    labelNames: ["source", "watch"],
  });
  assert.equal(skipped.read({ source: "ticker-1s", watch: "w" }), 60 - runs - 1);
  await stop();
  await watch[Symbol.asyncDispose]();
  await clock.advance("10s");
  await working;
});

test("ticker ticks when it is opened if it is to tick at once", async () => {
  const { clock, watch, stop } = ticking({ every: "1h", immediate: true });
  await clock.settle();
  assert.equal((await watch.receive())?.event.object.at.toISOString(), "2030-01-01T00:00:00.000Z");
  await stop();
});

test("ticker with jitter is late by up to that part of the interval, and its grid does not move", async () => {
  const { clock, watch, stop } = ticking({ every: "10s", jitter: 0.5 });
  const startMs = clock.now().getTime();
  const lateness: number[] = [];
  for (let tick = 1; tick <= 20; tick += 1) {
    const next = watch.receive();
    await clock.advance("10s");
    // What is late in the last interval comes in this one.
    await clock.advance(tick === 1 ? "5s" : 0);
    lateness.push(((await next)?.event.object.at.getTime() ?? 0) - startMs - tick * 10_000);
  }
  for (const ms of lateness) assert.ok(ms >= 0 && ms < 5_000, `late by ${ms} ms`);
  assert.ok(new Set(lateness).size > 15);
  await stop();
});

test("ticker refuses an interval of 0, a jitter that is no part of it, and a duration that is none", () => {
  assert.throws(
    () => tickerSource({ every: 0 }),
    (error) => isCodedError(error, "InvalidOption") && error.message.includes("every is 0, give at least 1ms"),
  );
  for (const jitter of [-0.1, 1, Number.NaN]) {
    assert.throws(
      () => tickerSource({ every: "1s", jitter }),
      (error) => isCodedError(error, "InvalidOption"),
    );
  }
  assert.throws(
    // @ts-expect-error a duration needs a known unit
    () => tickerSource({ every: "30 seconds" }),
    (error) => isCodedError(error, "InvalidDuration"),
  );
});
