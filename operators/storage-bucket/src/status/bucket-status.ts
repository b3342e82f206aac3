import { type Condition, formatTime, type Instant, parseTime, setCondition } from "farwatch";
import type { ProbeResult } from "../probe/probe-result.ts";
import { type Reason, saysAvailable, wasAsked } from "../resource/reason.ts";
import type { StorageBucket, StorageBucketSpec, StorageBucketStatus } from "../resource/storage-bucket.ts";

export type ConditionType = "Available" | "Degraded" | "Ready";

export interface StatusInput {
  readonly bucket: StorageBucket;
  /** Undefined when the bucket was not probed: it is suspended. */
  readonly result: ProbeResult | undefined;
  readonly now: Instant;
  /** The spec or the credentials are not those of the status: its result says nothing about them. */
  readonly fresh: boolean;
}

export interface NextStatus {
  readonly status: StorageBucketStatus;
  /** False: nothing worth a write has changed, and the heartbeat is not due. */
  readonly write: boolean;
  /** Set when Available changed to True or False. */
  readonly became: boolean | undefined;
}

/**
 * The status after a probe (DESIGN §4). Thresholds apply to leaving a known state: while Available is Unknown, or after a
 * change of spec or credentials, the first conclusive probe decides.
 */
export function nextStatus({ bucket, result, now, fresh }: StatusInput): NextStatus {
  const { spec, metadata } = bucket;
  const previous: StorageBucketStatus = bucket.status ?? {};
  const observedGeneration = metadata.generation ?? 0;
  const before = fresh ? undefined : previous.available;
  const streaks = nextStreaks(previous, result, fresh);
  const available = nextAvailable(spec, before, result, streaks);
  const shown = conditionTexts(spec, previous, { available, result, fresh });
  const conditions = (["Available", "Degraded", "Ready"] as const).reduce<readonly Condition[]>(
    (all, type) => setCondition(all, { type, observedGeneration, ...shown[type] }, now),
    previous.conditions ?? [],
  );
  const status: StorageBucketStatus = {
    observedGeneration,
    ...(available === undefined ? {} : { available }),
    ...lastProbe(previous, result, now),
    ...streaks,
    conditions: [...conditions],
  };
  return {
    status,
    write: worthWriting(previous, status, spec, now),
    became: available !== undefined && available !== previous.available ? available : undefined,
  };
}

interface Streaks {
  readonly consecutiveFailures: number;
  readonly consecutiveSuccesses: number;
}

function nextStreaks(previous: StorageBucketStatus, result: ProbeResult | undefined, fresh: boolean): Streaks {
  const { consecutiveFailures = 0, consecutiveSuccesses = 0 } = fresh ? {} : previous;
  switch (result === undefined ? undefined : saysAvailable(result.reason)) {
    case undefined:
      return { consecutiveFailures, consecutiveSuccesses };
    case true:
      return { consecutiveFailures: 0, consecutiveSuccesses: consecutiveSuccesses + 1 };
    default:
      return { consecutiveFailures: consecutiveFailures + 1, consecutiveSuccesses: 0 };
  }
}

function nextAvailable(
  spec: StorageBucketSpec,
  before: boolean | undefined,
  result: ProbeResult | undefined,
  streaks: Streaks,
): boolean | undefined {
  if (result === undefined) return before;
  const said = saysAvailable(result.reason);
  if (said === undefined) return result.reason === "Throttled" ? before : undefined;
  if (before === undefined || said === before) return said;
  const reached = said
    ? streaks.consecutiveSuccesses >= spec.probe.successThreshold
    : streaks.consecutiveFailures >= spec.probe.failureThreshold;
  return reached ? said : before;
}

function lastProbe(
  previous: StorageBucketStatus,
  result: ProbeResult | undefined,
  now: Instant,
): Partial<StorageBucketStatus> {
  if (result === undefined || !wasAsked(result.reason)) {
    const { lastProbeTime, lastProbe: probe } = previous;
    return {
      ...(lastProbeTime === undefined ? {} : { lastProbeTime }),
      ...(probe === undefined ? {} : { lastProbe: probe }),
    };
  }
  const { reason, durationMs, httpStatus } = result;
  return {
    lastProbeTime: formatTime(now),
    lastProbe: { reason, durationMilliseconds: durationMs, ...(httpStatus === undefined ? {} : { httpStatus }) },
  };
}

type Shown = Pick<Condition, "status" | "reason" | "message">;

interface Change {
  readonly available: boolean | undefined;
  readonly result: ProbeResult | undefined;
  readonly fresh: boolean;
}

function conditionTexts(
  spec: StorageBucketSpec,
  previous: StorageBucketStatus,
  change: Change,
): Record<ConditionType, Shown> {
  const available = availableText(previous, change);
  return {
    Available: available,
    Degraded: degradedText(spec, change),
    Ready: spec.suspend
      ? {
          status: "False",
          reason: "Suspended" satisfies Reason,
          message: "probing is suspended, the last result is kept",
        }
      : { ...available },
  };
}

function availableText(previous: StorageBucketStatus, { available, result, fresh }: Change): Shown {
  const kept = fresh ? undefined : previous.conditions?.find(({ type }) => type === "Available");
  const status = available === undefined ? "Unknown" : available ? "True" : "False";
  // A raw result below its threshold, or none at all, leaves the condition to the letter as it is.
  const agrees = result !== undefined && (available === undefined || saysAvailable(result.reason) === available);
  if (!agrees && kept?.status === status) return { status, reason: kept.reason, message: kept.message };
  if (result === undefined)
    return { status, reason: "NotProbed" satisfies Reason, message: "the bucket has not been probed" };
  return { status, reason: result.reason, message: result.message };
}

function degradedText(spec: StorageBucketSpec, { available, result }: Change): Shown {
  const fine: Shown = {
    status: "False",
    reason: "AsExpected" satisfies Reason,
    message: "the bucket answers as expected",
  };
  if (result === undefined) return fine;
  if (result.reason === "Throttled") return { status: "True", reason: "Throttled", message: result.message };
  if (result.reason !== "Available" && available === true) {
    return {
      status: "True",
      reason: result.reason,
      message: `probes fail, the threshold is ${spec.probe.failureThreshold}: ${result.message}`,
    };
  }
  const { latencyThresholdMilliseconds: threshold } = spec.probe;
  if (result.reason === "Available" && threshold !== undefined && result.durationMs > threshold) {
    return {
      status: "True",
      reason: "SlowResponse" satisfies Reason,
      message: `the bucket answers slower than ${threshold} ms`,
    };
  }
  return fine;
}

/** What a write is worth: everything but the time and the length of a probe, and counts that move on in an unchanged state. */
function worthWriting(
  previous: StorageBucketStatus,
  next: StorageBucketStatus,
  spec: StorageBucketSpec,
  now: Instant,
): boolean {
  if (previous.lastProbeTime !== next.lastProbeTime) {
    const last = previous.lastProbeTime === undefined ? undefined : parseTime(previous.lastProbeTime);
    if (last === undefined || now.getTime() - last.getTime() >= spec.probe.heartbeatSeconds * 1_000) return true;
  }
  return (
    previous.observedGeneration !== next.observedGeneration ||
    previous.available !== next.available ||
    previous.lastProbe?.reason !== next.lastProbe?.reason ||
    // A streak that runs against the state must survive a fail-over; one that agrees with it says nothing new.
    isAgainst(next) ||
    JSON.stringify(previous.conditions ?? []) !== JSON.stringify(next.conditions ?? [])
  );
}

function isAgainst({ available, consecutiveFailures = 0, consecutiveSuccesses = 0 }: StorageBucketStatus): boolean {
  return available === true ? consecutiveFailures > 0 : available === false && consecutiveSuccesses > 0;
}
