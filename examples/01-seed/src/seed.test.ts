import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, createManager, silentLogger, staticConfig } from "farwatch";
import { createScriptedCluster, createVirtualClock } from "farwatch/doubles";
import { StorageBucket, seed } from "./seed.ts";

test("seed reconciles five buckets once at the start and once a tick, spaced over the interval", async () => {
  const clock = createVirtualClock();
  const cluster = createScriptedCluster(clock);
  const client = createClient({ config: staticConfig({ server: "https://api" }), transport: cluster.transport, clock });
  const manager = createManager({ client, clock, log: silentLogger });
  const probedAtMs: number[] = [];
  const { ticker, controller } = seed({
    every: "30s",
    async probe() {
      probedAtMs.push(clock.elapsed());
      return true;
    },
  });
  for (let i = 0; i < 5; i += 1)
    cluster.put(StorageBucket, {
      metadata: { namespace: "default", name: `b${i}` },
      spec: { url: `https://s3/b${i}` },
    });
  const stop = new AbortController();
  const ended = manager.add(ticker).add(controller).start({ signal: stop.signal });
  await clock.advance("119s"); // ticks at 30, 60 and 90 s, each spread over the 30 s that follow
  assert.equal(probedAtMs.length, 5 + 15);
  assert.equal(cluster.writes.filter(({ path }) => path.endsWith("/status")).length, 5 + 15);
  assert.equal(new Set(probedAtMs).size, 1 + 15, "after the start no two buckets are probed in one instant");
  stop.abort();
  await clock.advance("1s");
  await ended;
});
