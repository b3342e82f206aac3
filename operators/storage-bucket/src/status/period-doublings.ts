import type { ProbeResult } from "../probe/probe-result.ts";
import { verdictOf } from "../resource/reason.ts";
import type { StorageBucketSpec } from "../resource/storage-bucket.ts";

/** However often a service asks to slow down, a bucket is probed this often, or each period where that is longer. */
const longestSeconds = 3_600;

/** What `status.periodDoublings` becomes: one more for each probe that is asked to slow down, one less for each that is not. */
export function nextPeriodDoublings(
  before: number,
  result: ProbeResult | undefined,
  { probe: { periodSeconds } }: StorageBucketSpec,
): number {
  // Probed only when something changes: nothing can be put off, and the count would have no end.
  if (periodSeconds === 0) return 0;
  if (result === undefined || verdictOf(result.reason) === "Unknown") return before;
  if (result.reason !== "Throttled") return Math.max(0, before - 1);
  return periodSeconds * 2 ** (before + 1) > longestSeconds ? before : before + 1;
}
