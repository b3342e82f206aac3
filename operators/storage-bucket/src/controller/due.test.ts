import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTime, instantOf, parseTime } from "farwatch";
import fc from "fast-check";
import type { StorageBucket } from "../resource/storage-bucket.ts";
import { dueOf, type Remembered } from "./due.ts";
import { probeDefaults, specOf } from "./virtual-operator.fixture.ts";

const startMs = parseTime("2030-01-01T00:00:00Z")?.getTime() ?? Number.NaN;

function bucketOf(periodSeconds: number, uid: string, observed: number | "never" = 1): StorageBucket {
  return {
    apiVersion: "storage.farwatch.dev/v1alpha1",
    kind: "StorageBucket",
    metadata: { namespace: "default", name: "photos", uid, resourceVersion: "1", generation: 1 },
    spec: specOf({ probe: { periodSeconds } }),
    ...(observed === "never" ? {} : { status: { observedGeneration: observed } }),
  };
}

test("due is at every grid point once, however often and whenever somebody looks, through restarts", () => {
  const looks = fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 40_000 }), restart: fc.boolean() }), {
    maxLength: 100,
  });
  fc.assert(
    fc.property(fc.uuid(), fc.integer({ min: 5, max: 120 }), looks, (uid, periodSeconds, run) => {
      const bucket = bucketOf(periodSeconds, uid);
      const periodMs = periodSeconds * 1_000;
      let nowMs = startMs;
      let probedMs: number | undefined;
      let remembered: Remembered | undefined;
      for (const { afterMs, restart } of run) {
        nowMs += afterMs;
        if (restart) remembered = undefined;
        const { probe } = dueOf(bucket, remembered, "", instantOf(nowMs));
        if (remembered === undefined) assert.equal(probe, false, "a restart probes nobody at once");
        else if (nowMs - remembered.sinceMs >= periodMs) assert.equal(probe, true, "nobody is a period late");
        if (probe && probedMs !== undefined) assert.ok(nowMs > probedMs);
        if (probe) probedMs = nowMs;
        if (probe || remembered === undefined) remembered = { credentials: "", sinceMs: nowMs };
      }
    }),
  );
});

test("due counts grid points, not looks: a thousand looks in a period are one probe", () => {
  const bucket = bucketOf(60, "some-uid");
  let remembered: Remembered = { credentials: "", sinceMs: startMs };
  let probes = 0;
  for (let ms = 0; ms < 600_000; ms += 60) {
    if (!dueOf(bucket, remembered, "", instantOf(startMs + ms)).probe) continue;
    probes += 1;
    remembered = { ...remembered, sinceMs: startMs + ms };
  }
  assert.equal(probes, 10);
});

test("due is at once for a new bucket, a new generation and other credentials, and forgets what was before", () => {
  const remembered = { credentials: "a", sinceMs: startMs };
  const now = instantOf(startMs);
  const fresh = { probe: true, fresh: true };
  assert.deepEqual(dueOf(bucketOf(60, "1", "never"), undefined, "a", now), fresh);
  assert.deepEqual(dueOf(bucketOf(60, "1", 0), remembered, "a", now), fresh);
  assert.deepEqual(dueOf(bucketOf(60, "1"), remembered, "b", now), fresh);
  assert.deepEqual(dueOf(bucketOf(60, "1"), remembered, "a", now), { probe: false });
  const suspended = { ...bucketOf(60, "1", 0), spec: specOf({ suspend: true }) };
  assert.deepEqual(dueOf(suspended, remembered, "b", now), { probe: false });
});

test("due waits for the initial delay, and never longer than it says, whatever the server's clock", () => {
  const created = (offsetS: number): StorageBucket => {
    const bucket = bucketOf(60, "1", "never");
    const creationTimestamp = formatTime(instantOf(startMs + offsetS * 1_000));
    const spec = specOf({ probe: { ...probeDefaults, initialDelaySeconds: 60 } });
    return { ...bucket, metadata: { ...bucket.metadata, creationTimestamp }, spec };
  };
  const at = (offsetS: number) => dueOf(created(offsetS), undefined, "", instantOf(startMs));
  assert.deepEqual(at(0), { probe: false, afterMs: 60_000 });
  assert.deepEqual(at(-59), { probe: false, afterMs: 1_000 });
  assert.deepEqual(at(-60), { probe: true, fresh: true });
  assert.deepEqual(at(3_600), { probe: false, afterMs: 60_000 });
});
