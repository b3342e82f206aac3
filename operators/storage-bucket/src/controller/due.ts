import { type Instant, nextOnGrid, parseTime, phaseOf } from "farwatch";
import type { StorageBucket } from "../resource/storage-bucket.ts";

/** What this process remembers of a bucket: nothing of it is needed for the state to be right, only for probes not to repeat. */
export interface Remembered {
  readonly uid: string;
  /** Fingerprint of what the probe was made with: the Secret's data. */
  readonly credentials: string;
  /** Wall clock: the last probe, or when this process first saw the bucket. */
  readonly sinceMs: number;
}

export type Due =
  /** `fresh`: the result of an earlier spec or Secret says nothing any more. */
  | { readonly probe: true; readonly fresh: boolean }
  /** `afterMs`: look again then; undefined when the bucket's timer or a change will do. */
  | { readonly probe: false; readonly afterMs?: number };

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
  const { periodSeconds, initialDelaySeconds } = spec.probe;
  if (spec.suspend) return { probe: false };
  if (status?.observedGeneration === undefined && initialDelaySeconds > 0 && metadata.creationTimestamp !== undefined) {
    const created = parseTime(metadata.creationTimestamp);
    const waitMs = (created?.getTime() ?? 0) + initialDelaySeconds * 1_000 - now.getTime();
    // A creation time in the future is another machine's clock: the delay is never longer than it says.
    if (waitMs > 0) return { probe: false, afterMs: Math.min(waitMs, initialDelaySeconds * 1_000) };
  }
  if (status?.observedGeneration !== metadata.generation) return { probe: true, fresh: true };
  if (remembered !== undefined && remembered.credentials !== credentials) return { probe: true, fresh: true };
  if (remembered === undefined || periodSeconds === 0) return { probe: false };
  const periodMs = periodSeconds * 1_000;
  const dueMs = nextOnGrid(phaseOf(metadata.uid, periodMs), periodMs, remembered.sinceMs);
  return dueMs <= now.getTime() ? { probe: true, fresh: false } : { probe: false };
}
