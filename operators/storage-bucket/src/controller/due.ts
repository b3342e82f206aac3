import { gridOf, type Instant, nextOnGrid, parseTime, waitsForRun } from "farwatch";
import type { StorageBucket } from "../resource/storage-bucket.ts";
import { isAgainst, type Streaks } from "../status/bucket-status.ts";

/** What this process remembers of a bucket: nothing of it is needed for the state to be right, only for probes not to repeat. */
export interface Remembered {
  /** Changes when what the Secret holds does. */
  readonly credentials: string;
  /** Wall clock: when the last probe began, or when this process first saw the bucket. */
  readonly sinceMs: number;
  /** Wall clock: when the last probe of this process began; undefined before the first. */
  readonly probedMs?: number | undefined;
  /** Monotonic clock: when the turn comes that the next probe has taken; undefined while it needs none. */
  readonly turnMs?: number | undefined;
  readonly streaks?: Streaks | undefined;
  /** That the last probe found the bucket in. */
  readonly region?: string | undefined;
}

export type Due =
  /** `fresh`: the result of an earlier spec or Secret says nothing any more. */
  | { readonly probe: true; readonly fresh: boolean }
  /** `afterMs`: look again then; undefined when the bucket's timer or a change will do. */
  | { readonly probe: false; readonly afterMs?: number };

const notNow: Due = { probe: false };

/** A probe that somebody asks for comes no sooner than this after the one before: a burst of uploads must not become one of probes. */
const requestFloorMs = 5_000;

/** No period is halved to less than this, nor to less than the deadline of a probe. */
const shortestPeriodSeconds = 5;

/**
 * How often the period of a bucket is doubled now, for `timerSource`; by its status alone, and so the same after a fail-over. Below 0 while it is
 * unavailable or a streak runs against its state, so that it is decided, or over, soon; above 0 while the service asks to slow down.
 */
export function doublingsOf({ spec, status = {} }: StorageBucket): number {
  const { available, periodDoublings = 0 } = status;
  if (periodDoublings > 0) return periodDoublings;
  const { periodSeconds, timeoutSeconds } = spec.probe;
  const mayHalve = periodSeconds / 2 >= Math.max(shortestPeriodSeconds, timeoutSeconds);
  return mayHalve && (available === false || isAgainst(status)) ? -1 : 0;
}

/**
 * Whether a bucket shall be probed now, whatever woke its reconciler: for a spec that was not probed yet, for changed
 * credentials, for a request (`farwatch.dev/requested-at`) that the status does not answer, and when a point of its grid has
 * passed since the last probe of this process. So a restart probes nobody at once, and everybody within a period.
 */
export function dueOf(
  bucket: StorageBucket,
  remembered: Remembered | undefined,
  credentials: string,
  now: Instant,
): Due {
  const { metadata, spec, status } = bucket;
  if (spec.suspend) return notNow;
  if (status?.observedGeneration === undefined) {
    const afterMs = initialWaitMs(bucket, now);
    return afterMs > 0 ? { probe: false, afterMs } : { probe: true, fresh: true };
  }
  if (status.observedGeneration !== metadata.generation) return { probe: true, fresh: true };
  if (remembered !== undefined && remembered.credentials !== credentials) return { probe: true, fresh: true };
  if (isOnGrid(bucket, remembered, now)) return { probe: true, fresh: false };
  if (!waitsForRun(bucket)) return notNow;
  const afterMs = floorWaitMs(bucket, remembered, now);
  return afterMs > 0 ? { probe: false, afterMs } : { probe: true, fresh: false };
}

function isOnGrid(bucket: StorageBucket, remembered: Remembered | undefined, now: Instant): boolean {
  const { uid } = bucket.metadata;
  const specMs = bucket.spec.probe.periodSeconds * 1_000;
  if (remembered === undefined || specMs === 0) return false;
  const nowMs = now.getTime();
  // A last probe that lies ahead was made before the clock was set back.
  if (remembered.sinceMs > nowMs) return true;
  const { phaseMs, periodMs } = gridOf(uid, specMs, doublingsOf(bucket));
  return nextOnGrid(phaseMs, periodMs, remembered.sinceMs) <= nowMs;
}

function floorWaitMs({ status }: StorageBucket, remembered: Remembered | undefined, now: Instant): number {
  const lastMs = remembered?.probedMs ?? parseTime(status?.lastProbeTime ?? "")?.getTime();
  if (lastMs === undefined) return 0;
  // A last probe that lies ahead is another clock's: nobody waits longer than the floor.
  return Math.min(lastMs + requestFloorMs - now.getTime(), requestFloorMs);
}

function initialWaitMs({ metadata, spec }: StorageBucket, now: Instant): number {
  const delayMs = spec.probe.initialDelaySeconds * 1_000;
  const created = metadata.creationTimestamp === undefined ? undefined : parseTime(metadata.creationTimestamp);
  if (created === undefined) return 0;
  // A creation time in the future is another machine's clock: the delay is never longer than it says.
  return Math.min(created.getTime() + delayMs - now.getTime(), delayMs);
}
