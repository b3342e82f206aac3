import { type Condition, formatTime, type Instant, parseTime, setCondition } from "farwatch";
import type { ProbeResult } from "../probe/probe-result.ts";
import { type Reason, verdictOf } from "../resource/reason.ts";
import type { StorageBucket, StorageBucketSpec, StorageBucketStatus } from "../resource/storage-bucket.ts";
import { availableText, degradedText, readyText, type Shown } from "./condition-text.ts";
import { nextPeriodDoublings } from "./period-doublings.ts";

/** How often in a row the bucket answered well or badly. */
export interface Streaks {
  readonly consecutiveFailures: number;
  readonly consecutiveSuccesses: number;
}

/** Why a probe was left to another bucket. */
export interface Skipped {
  readonly reason: Extract<Reason, "EndpointUnavailable" | "CredentialsRefused">;
  readonly message: string;
}

export interface StatusInput {
  readonly bucket: StorageBucket;
  /** Undefined when the bucket was not looked at: it is suspended, or was skipped. */
  readonly result: ProbeResult | undefined;
  readonly skipped?: Skipped | undefined;
  readonly now: Instant;
  /** The spec or the credentials are not those of the status: its result says nothing about them. */
  readonly fresh: boolean;
  /** Somebody asked for this probe and waits for the answer, which the client notes with the write. */
  readonly requested?: boolean | undefined;
  /** Later than those of the status, which is not written after every probe. */
  readonly streaks?: Streaks | undefined;
}

export interface NextStatus {
  readonly status: StorageBucketStatus;
  readonly streaks: Streaks;
  /** False: nothing worth a write has changed, and the heartbeat is not due. */
  readonly write: boolean;
  /** The status of condition Available when a probe changed it, the first one included. */
  readonly became: Condition["status"] | undefined;
}

/**
 * The status after a probe. Thresholds apply to leaving a known state: while Available is Unknown, or after a
 * change of spec or credentials, the first conclusive probe decides.
 */
export function nextStatus(input: StatusInput): NextStatus {
  const { bucket, result, now, fresh } = input;
  const previous: StorageBucketStatus = bucket.status ?? {};
  const before = fresh ? undefined : previous.available;
  const streaks = nextStreaks(input, previous);
  const available = nextAvailable(bucket.spec, before, result, streaks);
  const conditions = nextConditions(input, previous, available);
  const periodDoublings = nextPeriodDoublings((fresh ? undefined : previous.periodDoublings) ?? 0, result, bucket.spec);
  const status: StorageBucketStatus = {
    observedGeneration: bucket.metadata.generation ?? 0,
    ...(available === undefined ? {} : { available }),
    ...lastProbe(previous, result, now),
    ...(input.skipped === undefined ? {} : { lastSkipTime: formatTime(now) }),
    ...streaks,
    ...(periodDoublings === 0 ? {} : { periodDoublings }),
    conditions: [...conditions],
  };
  return {
    status,
    streaks,
    write: input.requested === true || isWorthWriting(input, status),
    became: whatBecame(previous, status, result),
  };
}

function nextStreaks({ result, fresh, streaks }: StatusInput, previous: StorageBucketStatus): Streaks {
  const { consecutiveFailures = 0, consecutiveSuccesses = 0 } = fresh ? {} : (streaks ?? previous);
  switch (result === undefined ? undefined : verdictOf(result.reason)) {
    case "True":
      return { consecutiveFailures: 0, consecutiveSuccesses: consecutiveSuccesses + 1 };
    case "False":
      return { consecutiveFailures: consecutiveFailures + 1, consecutiveSuccesses: 0 };
    default:
      return { consecutiveFailures, consecutiveSuccesses };
  }
}

function nextAvailable(
  spec: StorageBucketSpec,
  before: boolean | undefined,
  result: ProbeResult | undefined,
  streaks: Streaks,
): boolean | undefined {
  if (result === undefined) return before;
  const verdict = verdictOf(result.reason);
  if (verdict === "Kept") return before;
  if (verdict === "Unknown") return undefined;
  const said = verdict === "True";
  if (before === undefined || said === before) return said;
  const reached = said
    ? streaks.consecutiveSuccesses >= spec.probe.successThreshold
    : streaks.consecutiveFailures >= spec.probe.failureThreshold;
  return reached ? said : before;
}

function nextConditions(
  { bucket, result, skipped, now, fresh }: StatusInput,
  previous: StorageBucketStatus,
  available: boolean | undefined,
): readonly Condition[] {
  const { spec, metadata } = bucket;
  const set = (conditions: readonly Condition[], type: string, shown: Shown): readonly Condition[] =>
    setCondition(conditions, { type, observedGeneration: metadata.generation ?? 0, ...shown }, now);
  const before = previous.conditions ?? [];
  const known = before.find(({ type }) => type === "Available");
  // Without a look at the bucket what was found of an earlier generation stands, and says so by its observedGeneration.
  const kept = skipped === undefined ? before : set(before, "Degraded", { status: "True", ...skipped });
  const looked =
    result === undefined && known !== undefined
      ? kept
      : set(
          set(before, "Available", availableText({ available, result, known: fresh ? undefined : known })),
          "Degraded",
          degradedText({ spec, available, result, now }),
        );
  const shown = looked.find(({ type }) => type === "Available");
  return shown === undefined ? looked : set(looked, "Ready", readyText(spec, shown));
}

function lastProbe(
  previous: StorageBucketStatus,
  result: ProbeResult | undefined,
  now: Instant,
): Partial<StorageBucketStatus> {
  if (result === undefined || verdictOf(result.reason) === "Unknown") {
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

/** What a write is worth: everything but the time and the length of a probe, and counts that move on in an unchanged state. */
function isWorthWriting({ bucket, result, now }: StatusInput, next: StorageBucketStatus): boolean {
  const { status: previous = {}, spec } = bucket;
  return (
    previous.observedGeneration !== next.observedGeneration ||
    previous.available !== next.available ||
    previous.lastProbe?.reason !== next.lastProbe?.reason ||
    // A streak that runs against the state must survive a fail-over; one that agrees with it says nothing new.
    (result !== undefined && isAgainst(next)) ||
    previous.periodDoublings !== next.periodDoublings ||
    JSON.stringify(previous.conditions ?? []) !== JSON.stringify(next.conditions ?? []) ||
    ((previous.lastProbeTime !== next.lastProbeTime || next.lastSkipTime !== undefined) &&
      isHeartbeatDue(previous.lastSkipTime ?? previous.lastProbeTime, spec, now))
  );
}

/** Whether a streak runs against the state, and has not reached its threshold. */
export function isAgainst({
  available,
  consecutiveFailures = 0,
  consecutiveSuccesses = 0,
}: StorageBucketStatus): boolean {
  return available === true ? consecutiveFailures > 0 : available === false && consecutiveSuccesses > 0;
}

function isHeartbeatDue(lastTime: string | undefined, { probe }: StorageBucketSpec, now: Instant): boolean {
  const last = lastTime === undefined ? undefined : parseTime(lastTime);
  if (last === undefined) return true;
  const ageMs = now.getTime() - last.getTime();
  // A time that lies ahead was written by a clock that has been corrected since.
  return ageMs < 0 || ageMs >= probe.heartbeatSeconds * 1_000;
}

function whatBecame(
  previous: StorageBucketStatus,
  next: StorageBucketStatus,
  result: ProbeResult | undefined,
): NextStatus["became"] {
  if (result === undefined) return undefined;
  const statusIn = ({ conditions }: StorageBucketStatus): Condition["status"] | undefined =>
    conditions?.find(({ type }) => type === "Available")?.status;
  const now = statusIn(next);
  return now === statusIn(previous) ? undefined : now;
}
