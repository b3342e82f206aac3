import type { Duration } from "farwatch";
import type { FaultMatcher } from "../fault/fault-matcher.ts";
import type { TransportFault } from "../fault/transport-fault.ts";

/** What only the service itself can do to a request; each provider has its own words for it. */
export type ServiceFault =
  /** Too many requests; with seconds to wait where they are given. */
  | { readonly kind: "throttled"; readonly retryAfter?: number }
  | { readonly kind: "serverError" }
  /** Who asks may not, whatever was granted; signatures are still checked. */
  | { readonly kind: "accessDenied" }
  /** The bucket is not there for this request. */
  | { readonly kind: "bucketDeleted" }
  /** The service's clock is ahead; default 20 min, which is more than any of them accepts. */
  | { readonly kind: "clockSkew"; readonly by?: Duration };

/**
 * What can strike a request to an object store. On the socket door a `refused` that is for every request closes the
 * port; `dnsFailure`, `tlsFailure` and any other `refused` come too late there, and reset the connection.
 */
export type StoreFault = TransportFault | ServiceFault;

/** What a request to an object store is about. */
export interface StoreAsk {
  /** In the provider's words, such as `HeadBucket`. */
  readonly operation: string;
  readonly bucket: string | undefined;
  readonly key: string | undefined;
  /** As the request names itself, whether it can prove that or not; undefined: anonymous. */
  readonly user: string | undefined;
}

/** Which requests a fault is for; every given part must match. */
export interface StoreMatcher extends FaultMatcher {
  readonly operation?: string | readonly string[];
  readonly bucket?: string;
  readonly key?: string;
  readonly user?: string;
}

export function matchesAsk({ operation, bucket, key, user }: StoreMatcher, ask: StoreAsk): boolean {
  if (operation !== undefined && ![operation].flat().includes(ask.operation)) return false;
  return (bucket ?? ask.bucket) === ask.bucket && (key ?? ask.key) === ask.key && (user ?? ask.user) === ask.user;
}
