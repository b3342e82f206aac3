import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedisClaimTimes } from "./redis-claim-times.ts";

test("createRedisClaimTimes looks when the first entry that was given back can be claimed, or a reader may have died", () => {
  const times = createRedisClaimTimes(0);
  assert.equal(times.nextMs, 0);
  times.looked(0, 10_000);
  assert.equal(times.nextMs, 10_000);
  for (const atMs of [7_000, 5_000, 12_000]) times.givenBack(atMs);
  assert.equal(times.nextMs, 5_000);
  times.looked(7_000, 17_000);
  assert.equal(times.nextMs, 12_000);
});

test("createRedisClaimTimes holds as many entries as are given back", () => {
  const times = createRedisClaimTimes(1_000_000);
  for (let n = 200_000; n > 0; n -= 1) times.givenBack(n);
  assert.equal(times.nextMs, 1);
  times.looked(200_000, 1_000_000);
  assert.equal(times.nextMs, 1_000_000);
});
