import { type Condition, formatTime, type Instant, instantOf, type PeerCertificate, toMs } from "farwatch";
import type { ProbeResult } from "../probe/probe-result.ts";
import { type Reason, verdictOf } from "../resource/reason.ts";
import type { StorageBucketSpec } from "../resource/storage-bucket.ts";

/** What a condition shows. The texts are constant while a finding lasts: whoever watches them is not woken by each probe. */
export type Shown = Pick<Condition, "status" | "message"> & { readonly reason: Reason | (string & {}) };

const notProbed = {
  status: "Unknown",
  reason: "NotProbed",
  message: "the bucket has not been probed",
} as const satisfies Shown;

/** Available: what counts, after thresholds. `known`: the condition as it is, unless spec or credentials have changed since. */
export function availableText(change: {
  readonly available: boolean | undefined;
  readonly result: ProbeResult | undefined;
  readonly known: Condition | undefined;
}): Shown {
  const { available, result, known } = change;
  if (result === undefined) return notProbed;
  const status = available === undefined ? "Unknown" : available ? "True" : "False";
  const verdict = verdictOf(result.reason);
  // A finding that has not moved the state is not its reason.
  const explains = status === (verdict === "Kept" ? "Unknown" : verdict);
  if (!explains && known?.status === status) return { status, reason: known.reason, message: known.message };
  return { status, reason: result.reason, message: result.message };
}

/** Degraded: whether the last probe found anything amiss, whatever the thresholds make of it. */
export function degradedText(change: {
  readonly spec: StorageBucketSpec;
  readonly available: boolean | undefined;
  readonly result: ProbeResult | undefined;
  readonly now: Instant;
}): Shown {
  const { spec, available, result, now } = change;
  if (result === undefined) return notProbed;
  const { reason, message } = result;
  const { failureThreshold, latencyThresholdMilliseconds: slowMs } = spec.probe;
  switch (verdictOf(reason)) {
    case "Unknown":
      return { status: "Unknown", reason, message };
    case "Kept":
      return { status: "True", reason, message };
    case "False":
      if (available !== true) return { status: "True", reason, message };
      return {
        status: "True",
        reason,
        message: `${message}; after ${failureThreshold} failures in a row the bucket is unavailable`,
      };
    default:
      if (slowMs !== undefined && result.durationMs > slowMs) {
        return {
          status: "True",
          reason: "SlowResponse",
          message: `the bucket takes longer than ${slowMs} ms to answer`,
        };
      }
      if (result.certificate !== undefined && isExpiring(result.certificate, now)) {
        const until = formatTime(instantOf(result.certificate.notAfter));
        return {
          status: "True",
          reason: "CertificateExpiring",
          message: `the endpoint's certificate expires at ${until}`,
        };
      }
      return { status: "False", reason: "AsExpected", message: "the last probe found nothing amiss" };
  }
}

/** Ready: available, and looked after. */
export function readyText({ suspend }: StorageBucketSpec, { status, reason, message }: Shown): Shown {
  if (!suspend) return { status, reason, message };
  return { status: "False", reason: "Suspended", message: "probing is suspended, and the last result is kept" };
}

/** Within two weeks of its end, or the last third of a life that is shorter. */
function isExpiring({ notBefore, notAfter }: PeerCertificate, now: Instant): boolean {
  return notAfter - now.getTime() < Math.min(toMs("336h"), (notAfter - notBefore) / 3);
}
