import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTime, instantOf, type PeerCertificate, parseTime } from "farwatch";
import fc from "fast-check";
import type { ProbeResult } from "../probe/probe-result.ts";
import { type ProbeReason, verdictOf } from "../resource/reason.ts";
import type { StorageBucket, StorageBucketSpec, StorageBucketStatus } from "../resource/storage-bucket.ts";
import { type NextStatus, nextStatus, type Streaks } from "./bucket-status.ts";

const startMs = parseTime("2030-01-01T00:00:00Z")?.getTime() ?? Number.NaN;
const settings = {
  level: "Head",
  periodSeconds: 30,
  timeoutSeconds: 5,
  failureThreshold: 3,
  successThreshold: 2,
  initialDelaySeconds: 0,
  heartbeatSeconds: 300,
} as const;

function bucketWith(
  probe: Partial<StorageBucketSpec["probe"]>,
  more: { readonly generation?: number; readonly suspend?: boolean; readonly status?: StorageBucketStatus } = {},
): StorageBucket {
  const { generation = 1, suspend = false, status } = more;
  return {
    apiVersion: "storage.farwatch.dev/v1alpha1",
    kind: "StorageBucket",
    metadata: { namespace: "default", name: "photos", uid: "1", resourceVersion: "1", generation },
    spec: {
      s3: { bucket: "photos", addressing: "Auto" },
      credentials: { anonymous: {} },
      probe: { ...settings, ...probe },
      suspend,
    },
    ...(status === undefined ? {} : { status }),
  };
}

const found = (reason: ProbeReason, more: Partial<ProbeResult> = {}): ProbeResult => ({
  reason,
  message: `found ${reason}`,
  durationMs: 10,
  ...more,
});

interface Step {
  readonly reason: ProbeReason;
  readonly afterS?: number;
  readonly fresh?: boolean;
}

/** Plays probes one after another; what is not worth a write is not in the status that the next one begins with. */
function play(probe: Partial<StorageBucketSpec["probe"]>, steps: readonly Step[]): readonly NextStatus[] {
  let status: StorageBucketStatus | undefined;
  let streaks: Streaks | undefined;
  let nowMs = startMs;
  return steps.map(({ reason, afterS = 30, fresh = false }) => {
    nowMs += afterS * 1_000;
    const bucket = bucketWith(probe, status === undefined ? {} : { status });
    const next = nextStatus({
      bucket,
      result: found(reason),
      now: instantOf(nowMs),
      fresh: fresh || status === undefined,
      streaks,
    });
    streaks = next.streaks;
    if (next.write) status = next.status;
    return next;
  });
}

const conditionOf = ({ conditions }: StorageBucketStatus, type = "Available") =>
  conditions?.find((each) => each.type === type) ?? assert.fail(`no condition ${type}`);

test("status takes the first conclusive probe, whatever the thresholds", () => {
  assert.equal(play({}, [{ reason: "Timeout" }])[0]?.status.available, false);
  assert.equal(play({}, [{ reason: "Available" }])[0]?.status.available, true);
  const after = play({}, [{ reason: "Throttled" }, { reason: "InvalidSecret" }, { reason: "Timeout" }]);
  assert.deepEqual(
    after.map(({ status }) => status.available),
    [undefined, undefined, false],
  );
});

test("status of a bucket that nothing but changes probe has no period to double, however often its service asks to slow down", () => {
  const throttled: readonly Step[] = Array.from({ length: 12 }, () => ({ reason: "Throttled" }));
  for (const { status } of play({ periodSeconds: 0 }, throttled)) assert.equal(status.periodDoublings, undefined);
  assert.equal(play({ periodSeconds: 5 }, throttled).at(-1)?.status.periodDoublings, 9, "43 minutes");
});

test("status takes the first conclusive probe after a change of spec or credentials", () => {
  const steps = play({}, [{ reason: "Available" }, { reason: "Timeout" }, { reason: "Timeout", fresh: true }]);
  assert.deepEqual(
    steps.map(({ status }) => status.available),
    [true, true, false],
  );
  assert.deepEqual(
    steps.map(({ status }) => status.consecutiveFailures),
    [0, 1, 1],
  );
});

test("status keeps reason and message of Available while a streak has not reached its threshold", () => {
  const steps = play({ failureThreshold: 2 }, [
    { reason: "Available" },
    { reason: "Timeout" },
    { reason: "ServerError" },
  ]);
  assert.deepEqual(
    steps.map(({ status }) => conditionOf(status).reason),
    ["Available", "Available", "ServerError"],
  );
  const degraded = steps.map(({ status }) => conditionOf(status, "Degraded"));
  assert.deepEqual(
    degraded.map(({ message }) => message),
    [
      "the last probe found nothing amiss",
      "found Timeout; after 2 failures in a row the bucket is unavailable",
      "found ServerError",
    ],
  );
});

test("status shows another reason for an unavailable bucket without moving its transition time", () => {
  const [first, second] = play({}, [{ reason: "Timeout" }, { reason: "AccessDenied" }]).map(({ status }) =>
    conditionOf(status),
  );
  assert.deepEqual([first?.reason, second?.reason], ["Timeout", "AccessDenied"]);
  assert.equal(first?.lastTransitionTime, second?.lastTransitionTime);
});

test("status keeps the time and result of the last probe when the bucket could not be asked", () => {
  const [first, second] = play({}, [{ reason: "Available" }, { reason: "CredentialsNotFound" }]);
  assert.equal(second?.status.lastProbeTime, first?.status.lastProbeTime);
  assert.deepEqual(second?.status.lastProbe, first?.status.lastProbe);
  assert.equal(conditionOf(second?.status ?? {}, "Degraded").status, "Unknown");
});

test("status warns of a certificate within two weeks of its end, or in the last third of a shorter life", () => {
  const day = 86_400_000;
  const degraded = (notBefore: number, notAfter: number): string => {
    const certificate: PeerCertificate = { subject: "", issuer: "", fingerprint256: "", notBefore, notAfter };
    const { status } = nextStatus({
      bucket: bucketWith({}),
      result: found("Available", { certificate }),
      now: instantOf(startMs),
      fresh: true,
    });
    const { reason, message } = conditionOf(status, "Degraded");
    return reason === "CertificateExpiring" ? message : reason;
  };
  const until = (ms: number): string => `the endpoint's certificate expires at ${formatTime(instantOf(ms))}`;
  assert.equal(degraded(startMs - 300 * day, startMs + 15 * day), "AsExpected");
  assert.equal(degraded(startMs - 300 * day, startMs + 13 * day), until(startMs + 13 * day));
  assert.equal(degraded(startMs - 3 * day, startMs + 3 * day), "AsExpected");
  assert.equal(degraded(startMs - 5 * day, startMs + 2 * day), until(startMs + 2 * day));
});

test("status leaves the findings of an earlier generation with that generation while suspended", () => {
  const { status } = play({}, [{ reason: "Available" }])[0] ?? assert.fail();
  const bucket = bucketWith({}, { generation: 2, suspend: true, status });
  const next = nextStatus({ bucket, result: undefined, now: instantOf(startMs + 60_000), fresh: false });
  assert.equal(next.write, true);
  assert.equal(next.became, undefined);
  assert.deepEqual(conditionOf(next.status), conditionOf(status));
  assert.deepEqual(conditionOf(next.status, "Degraded"), conditionOf(status, "Degraded"));
  assert.equal(conditionOf(next.status, "Ready").observedGeneration, 2);
  const again = nextStatus({
    bucket: { ...bucket, status: next.status },
    result: undefined,
    now: instantOf(startMs + 120_000),
    fresh: false,
  });
  assert.equal(again.write, false);
});

test("status is written at the heartbeat, and when its time lies ahead of a clock that was corrected", () => {
  const writes = (afterS: number): boolean | undefined =>
    play({}, [{ reason: "Available" }, { reason: "Available", afterS }])[1]?.write;
  assert.deepEqual([30, 299, 300, 301, -3_600].map(writes), [false, false, true, true, true]);
});

const results: readonly ProbeReason[] = [
  "Available",
  "Timeout",
  "AccessDenied",
  "ServerError",
  "Throttled",
  "CredentialsNotFound",
];
const steps = fc.array(
  fc.record({
    reason: fc.constantFrom(...results),
    afterS: fc.integer({ min: 1, max: 400 }),
    fresh: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  }),
  { minLength: 1, maxLength: 40 },
);
const thresholds = fc.record({
  failureThreshold: fc.integer({ min: 1, max: 4 }),
  successThreshold: fc.integer({ min: 1, max: 4 }),
  heartbeatSeconds: fc.constantFrom(0, 60, 300),
});

test("status of a skipped probe keeps all but Degraded, is written when it begins and at the heartbeat, and forgets it at a probe", () => {
  const skipped = { reason: "EndpointUnavailable", message: "another is probed" } as const;
  const [, second] = play({}, [{ reason: "Available" }, { reason: "Timeout" }]);
  let status = second?.status ?? assert.fail();
  const { lastProbeTime, lastProbe, consecutiveFailures } = status;
  const written: number[] = [];
  for (let n = 1; n <= 25; n += 1) {
    const now = instantOf(startMs + 60_000 + n * 30_000);
    const next = nextStatus({ bucket: bucketWith({}, { status }), result: undefined, skipped, now, fresh: false });
    assert.equal(next.became, undefined);
    if (!next.write) continue;
    written.push(n);
    status = next.status;
    assert.equal(status.lastSkipTime, formatTime(now));
    assert.deepEqual(
      [status.available, status.lastProbeTime, status.lastProbe, status.consecutiveFailures, consecutiveFailures],
      [true, lastProbeTime, lastProbe, 1, 1],
    );
    assert.equal(conditionOf(status).reason, "Available");
    assert.equal(conditionOf(status, "Degraded").reason, "EndpointUnavailable");
  }
  assert.deepEqual(written, [1, 11, 21]);
  const now = instantOf(startMs + 3_600_000);
  const probed = nextStatus({
    bucket: bucketWith({}, { status }),
    result: found("Available"),
    now,
    fresh: false,
  });
  assert.deepEqual([probed.write, probed.status.lastSkipTime], [true, undefined]);
});

test("status of any run of probes leaves a known state by exactly the threshold of findings against it", () => {
  fc.assert(
    fc.property(thresholds, steps, (probe, run) => {
      let state: boolean | undefined;
      let against = 0;
      for (const [index, { status }] of play(probe, run).entries()) {
        const { reason, fresh } = run[index] ?? assert.fail();
        const verdict = verdictOf(reason);
        if (fresh) [state, against] = [undefined, 0];
        if (verdict === "Unknown") [state, against] = [undefined, 0];
        else if (verdict !== "Kept") {
          const said = verdict === "True";
          against = state === undefined || said === state ? 0 : against + 1;
          const threshold = said ? probe.successThreshold : probe.failureThreshold;
          if (state === undefined || against >= threshold) [state, against] = [said, 0];
        }
        assert.equal(status.available, state);
      }
    }),
  );
});

test("status of any run of probes agrees with itself, and moves a transition time only with its condition", () => {
  fc.assert(
    fc.property(thresholds, steps, (probe, run) => {
      let before: StorageBucketStatus | undefined;
      for (const { status, write, became } of play(probe, run)) {
        const { available, conditions = [] } = status;
        assert.equal(conditionOf(status).status, available === undefined ? "Unknown" : available ? "True" : "False");
        assert.deepEqual(
          conditions.map(({ type }) => type),
          ["Available", "Degraded", "Ready"],
        );
        for (const condition of conditions) {
          const old = before?.conditions?.find(({ type }) => type === condition.type);
          if (old?.status === condition.status) assert.equal(condition.lastTransitionTime, old.lastTransitionTime);
        }
        const moved = before === undefined || conditionOf(before).status !== conditionOf(status).status;
        assert.equal(became !== undefined, moved);
        if (moved) assert.equal(write, true);
        if (write) before = status;
      }
    }),
  );
});
