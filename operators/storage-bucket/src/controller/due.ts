import { type Instant, nextOnGrid, parseTime, phaseOf } from "farwatch";
import type { StorageBucket } from "../resource/storage-bucket.ts";
import type { Streaks } from "../status/bucket-status.ts";

/** What this process remembers of a bucket: nothing of it is needed for the state to be right, only for probes not to repeat. */
export interface Remembered {
  /** Changes when what the Secret holds does. */
  readonly credentials: string;
  /** Wall clock: when the last probe began, or when this process first saw the bucket. */
  readonly sinceMs: number;
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

/**
 * Whether a bucket shall be probed now, whatever woke its reconciler: for a spec that was not probed yet, for changed
 * credentials, and when a point of its grid has passed since the last probe of this process. So a restart probes nobody
 * at once, and everybody within a period.
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
  if (remembered === undefined) return notNow;
  if (remembered.credentials !== credentials) return { probe: true, fresh: true };
  const periodMs = spec.probe.periodSeconds * 1_000;
  if (periodMs === 0) return notNow;
  const nowMs = now.getTime();
  const dueMs = nextOnGrid(phaseOf(metadata.uid, periodMs), periodMs, remembered.sinceMs);
  // A last probe that lies ahead was made before the clock was set back.
  return dueMs <= nowMs || remembered.sinceMs > nowMs ? { probe: true, fresh: false } : notNow;
}

function initialWaitMs({ metadata, spec }: StorageBucket, now: Instant): number {
  const delayMs = spec.probe.initialDelaySeconds * 1_000;
  const created = metadata.creationTimestamp === undefined ? undefined : parseTime(metadata.creationTimestamp);
  if (created === undefined) return 0;
  // A creation time in the future is another machine's clock: the delay is never longer than it says.
  return Math.min(created.getTime() + delayMs - now.getTime(), delayMs);
}
