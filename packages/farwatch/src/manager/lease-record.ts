import type { Clock } from "../clock/clock.ts";
import { formatMicroTime } from "../clock/instant.ts";
import type { Lease } from "../resource/kind/lease.ts";

/** What one candidate reads from and writes into a Lease. */
export type LeaseSpec = NonNullable<Lease["spec"]>;

/**
 * The spec of a Lease that `identity` takes over from whoever had it. Times have six fraction digits: the server takes
 * no other form.
 */
export function takenBy(
  identity: string,
  leaseDurationMs: number,
  clock: Clock,
  previous: LeaseSpec | undefined,
): LeaseSpec {
  const now = formatMicroTime(clock.now());
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1_000),
    acquireTime: now,
    renewTime: now,
    leaseTransitions: previous === undefined ? 0 : (previous.leaseTransitions ?? 0) + 1,
  };
}

/** The same term, renewed now: what else stands in the spec stays to the letter. */
export function renewed(spec: LeaseSpec, leaseDurationMs: number, clock: Clock): LeaseSpec {
  return {
    ...spec,
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1_000),
    renewTime: formatMicroTime(clock.now()),
  };
}

/** Held by nobody, and short, so that the next candidate need not wait; as client-go's ReleaseOnCancel. */
export function released(spec: LeaseSpec, clock: Clock): LeaseSpec {
  const now = formatMicroTime(clock.now());
  return { ...spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
}
