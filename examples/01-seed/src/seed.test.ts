import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestEnv } from "@farwatch/testing";
import { StorageBucket, seed } from "./seed.ts";

test("seed probes five buckets at the start and at every tick of an hour, spaced over the interval", async () => {
  await using env = await createTestEnv({ resources: [StorageBucket] });
  const probedAtMs: number[] = [];
  const probe = async () => probedAtMs.push(env.clock.elapsed()) > 0;
  const { ticker, controller } = seed({ every: "30s", probe });
  env.manager.add(ticker).add(controller);
  for (const name of ["b0", "b1", "b2", "b3", "b4"]) {
    const spec = { url: `https://s3/${name}` };
    await env.client.create(StorageBucket, { metadata: { namespace: "default", name }, spec });
  }
  await env.start();
  await env.advance("1h");
  await env.advance("29s"); // what the last tick causes is spread over the 30 s that follow

  assert.equal(probedAtMs.length, 5 + 5 * 120);
  assert.equal(new Set(probedAtMs).size, 1 + 5 * 120, "after the start no two buckets are probed in one instant");
  const buckets = await env.client.list(StorageBucket);
  assert.ok(buckets.every(({ status }) => status?.available));
});
