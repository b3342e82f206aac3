import type { PeerCertificate, TransportTimings } from "farwatch";
import type { ProbeReason } from "../resource/reason.ts";

/** What something means for the bucket. */
export interface Finding {
  readonly reason: ProbeReason;
  /** For a person; the same text for the same finding: no ids, times, lengths or ports of one request. */
  readonly message: string;
}

/** What one probe found. */
export interface ProbeResult extends Finding {
  readonly httpStatus?: number | undefined;
  readonly durationMs: number;
  /** Of the request that decided. */
  readonly timings?: TransportTimings | undefined;
  /** The endpoint's, over TLS. */
  readonly certificate?: PeerCertificate | undefined;
  /** The region whose signature the service took; worth trying first at the next probe. */
  readonly region?: string | undefined;
  /** The provider's request id and error code, for the log alone. */
  readonly detail?: Readonly<Record<string, string>> | undefined;
}
