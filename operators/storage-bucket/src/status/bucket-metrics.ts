import { type Metrics, type ObjectKey, parseTime, type TransportTimings } from "farwatch";
import type { ProbeResult } from "../probe/probe-result.ts";
import { verdictOf } from "../resource/reason.ts";
import type { StorageBucketSpec, StorageBucketStatus } from "../resource/storage-bucket.ts";
import type { Skipped } from "./bucket-status.ts";

/** What operators of the operator see of each bucket: at most eight series a bucket, without its settings. */
export interface BucketMetrics {
  /** How the bucket is by its status. */
  show(key: ObjectKey, spec: StorageBucketSpec, status: StorageBucketStatus | undefined): void;
  /** What a probe found. */
  probed(key: ObjectKey, result: ProbeResult, provider: string): void;
  /** A probe was left to another bucket. */
  skipped(skipped: Skipped, provider: string): void;
  /** The bucket is gone, and its series with it. */
  forget(key: ObjectKey): void;
}

const phases: readonly (readonly [string, keyof TransportTimings])[] = [
  ["resolve", "resolve"],
  ["connect", "connect"],
  ["tls", "tls"],
  ["first_byte", "firstByte"],
];

export function createBucketMetrics(metrics: Metrics): BucketMetrics {
  const labelNames = ["namespace", "name"];
  const available = metrics.gauge({
    name: "storagebucket_available",
    help: "1 when the bucket is available, 0 when it is not; absent when that is unknown.",
    labelNames,
  });
  const suspended = metrics.gauge({
    name: "storagebucket_suspended",
    help: "1 when probing of the bucket is suspended, else 0.",
    labelNames,
  });
  const lastSuccess = metrics.gauge({
    name: "storagebucket_last_success_timestamp_seconds",
    help: "Unix time of the last probe that the bucket answered as it should; absent until there is one.",
    labelNames,
  });
  const duration = metrics.gauge({
    name: "storagebucket_probe_duration_seconds",
    help: "How long the last probe took, by phase; a phase that it had no need of is absent.",
    labelNames: [...labelNames, "phase"],
  });
  const probes = metrics.counter({
    name: "storagebucket_probes_total",
    help: "Probes by provider and what they found.",
    labelNames: ["provider", "reason"],
  });
  const skips = metrics.counter({
    name: "storagebucket_probes_skipped_total",
    help: "Probes that were left to another bucket, by provider and why.",
    labelNames: ["provider", "reason"],
  });

  const labelsOf = ({ namespace = "", name }: ObjectKey) => ({ namespace, name });
  return {
    show(key, { suspend }, { available: is, lastProbe, lastProbeTime } = {}): void {
      const labels = labelsOf(key);
      if (is === undefined) available.remove(labels);
      else available.set(is ? 1 : 0, labels);
      suspended.set(suspend ? 1 : 0, labels);
      const at =
        lastProbe?.reason !== "Available" || lastProbeTime === undefined ? undefined : parseTime(lastProbeTime);
      // A status is older than the last probe when nothing was worth writing.
      if (at !== undefined) lastSuccess.set(Math.max(at.getTime() / 1_000, lastSuccess.read(labels) ?? 0), labels);
    },
    probed(key, { reason, durationMs, timings }, provider): void {
      probes.add({ provider, reason });
      if (verdictOf(reason) === "Unknown") return;
      const labels = labelsOf(key);
      duration.set(durationMs / 1_000, { ...labels, phase: "total" });
      for (const [phase, timing] of phases) {
        const ms = timings?.[timing];
        if (ms === undefined) duration.remove({ ...labels, phase });
        else duration.set(ms / 1_000, { ...labels, phase });
      }
    },
    skipped: ({ reason }, provider) => skips.add({ provider, reason }),
    forget(key): void {
      const labels = labelsOf(key);
      for (const gauge of [available, suspended, lastSuccess]) gauge.remove(labels);
      for (const phase of [...phases.map(([name]) => name), "total"]) duration.remove({ ...labels, phase });
    },
  };
}
