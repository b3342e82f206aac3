import assert from "node:assert/strict";
import { test } from "node:test";
import { defineController } from "../controller/define-controller.ts";
import { watch } from "../controller/watch.ts";
import { createScriptedCache } from "../doubles/scripted-cache.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createScriptedManager } from "../doubles/scripted-manager.fixture.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { enqueueRequestForObject } from "../handler/enqueue-request-for-object.ts";
import { defineBuiltin } from "../resource/define-builtin.ts";
import type { Resource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import { timerSource } from "./timer-source.ts";

const Bucket: Resource<KubeObject> = defineBuiltin({ group: "example.farwatch.dev", version: "v1", kind: "Bucket" });
const periodMs = 300_000;
const timers = () => timerSource(Bucket, { period: () => periodMs });

/** A source of so many timers, opened now; `fired` counts the events that came. */
function running(count: number) {
  const clock = createVirtualClock();
  const cache = createScriptedCache();
  for (let index = 0; index < count; index += 1) {
    const metadata = { namespace: "ns", name: `b${index}`, uid: `uid-b${index}`, resourceVersion: "1" };
    cache.put(Bucket, { apiVersion: Bucket.apiVersion, kind: Bucket.kind, metadata });
  }
  const hub = createScriptedHub({ clock, cache });
  const subscription = hub.subscribe(timers(), { name: "w" });
  const controller = new AbortController();
  const closed = hub.open("leader", controller.signal);
  let fired = 0;
  const reading = (async () => {
    for (let next = await subscription.receive(); next !== undefined; next = await subscription.receive()) {
      fired += 1;
      next.hold.done();
    }
  })();
  return {
    clock,
    fired: () => fired,
    /** The most that came in one of so many seconds. */
    async mostPerSecond(seconds: number): Promise<number> {
      let most = 0;
      for (let second = 0; second < seconds; second += 1) {
        const before = fired;
        await clock.advance("1s");
        most = Math.max(most, fired - before);
      }
      return most;
    },
    async stop(): Promise<void> {
      controller.abort();
      await closed;
      await subscription[Symbol.asyncDispose]();
      await reading;
      assert.equal(clock.pendingTimers, 0);
    },
  };
}

test("timers of 5,000 objects that are due after a long stop are spread over the period, with one timer of the clock", async () => {
  const run = running(5_000);
  await run.clock.settle();
  assert.equal(run.fired(), 0);
  assert.equal(run.clock.pendingTimers, 2, "one for all objects, and the hub's own");
  const most = await run.mostPerSecond(300);
  assert.equal(run.fired(), 5_000);
  assert.ok(most < 60, `${most} in one second, where 17 is even`);
  await run.stop();
});

test("timers of a clock that was set an hour forward make no burst", async () => {
  const run = running(3_000);
  await run.clock.advance("1m");
  run.clock.jump(3_600_000);
  const most = await run.mostPerSecond(600);
  assert.ok(most <= 40, `${most} in one second, where 10 is even`);
  assert.ok(run.fired() >= 5_000, `${run.fired()} in 11 minutes`);
  await run.stop();
});

// B17
test("timers of 5,000 objects after a restart keep work within the controller's concurrency, and spread over the whole period", async () => {
  const env = createScriptedManager();
  for (let index = 0; index < 5_000; index += 1)
    env.cluster.put(Bucket, { metadata: { namespace: "ns", name: `b${index}` } });
  const startedMs: number[] = [];
  let atOnce = 0;
  let most = 0;
  env.manager.add(
    defineController({
      for: Bucket,
      // Timers alone wake it.
      predicates: [() => false],
      watches: [watch(timers(), enqueueRequestForObject)],
      // Each run takes 4 s, so that 67 are under way when all is even.
      concurrency: 80,
      async reconcile(_request, { clock, signal }) {
        startedMs.push(clock.elapsed());
        atOnce += 1;
        most = Math.max(most, atOnce);
        try {
          await clock.sleep("4s", signal);
        } finally {
          atOnce -= 1;
        }
      },
    }),
  );
  await env.start();
  assert.equal(startedMs.length, 0, "nobody is worked on at once");
  await env.clock.advance("310s");
  assert.equal(most, 80, "as many as are allowed, where chance brings more");
  const ofPeriod = startedMs.filter((at) => at < periodMs);
  assert.ok(ofPeriod.length > 4_900, `${ofPeriod.length} in the first period`);
  const perTenth = new Array<number>(10).fill(0);
  for (const at of ofPeriod) {
    const tenth = Math.floor(at / (periodMs / 10));
    perTenth[tenth] = (perTenth[tenth] ?? 0) + 1;
  }
  for (const count of perTenth) assert.ok(count > 400 && count < 600, `${count} of 5,000 in a tenth of the period`);
  await env.stopped();
});
