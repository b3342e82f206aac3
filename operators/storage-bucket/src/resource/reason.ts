/**
 * Why a bucket is as it is: the closed set of reasons of conditions and `status.lastProbe.reason`. Names are an API: alerts
 * and dashboards match them.
 */
export const reasons = [
  /** The bucket answered as it should. */
  "Available",
  "BucketNotFound",
  "AccessDenied",
  "InvalidCredentials",
  "WrongRegion",
  "ClockSkew",
  "Timeout",
  "ConnectionRefused",
  "ConnectionFailed",
  "DNSFailure",
  "TLSFailure",
  "Throttled",
  "ServerError",
  "UnexpectedResponse",
  /** The Secret or CA bundle that the spec names is missing or not usable: the bucket was not asked. */
  "CredentialsNotFound",
  "InvalidSecret",
  "InvalidCABundle",
  /** The endpoint is refused by the operator's policy or by the Secret's `allowedEndpoints`: nothing was sent. */
  "EndpointNotAllowed",
  "NotProbed",
  "Suspended",
  "SlowResponse",
  "AsExpected",
] as const;

export type Reason = (typeof reasons)[number];

/** What a probe can find. */
export type ProbeReason = Exclude<Reason, "NotProbed" | "Suspended" | "SlowResponse" | "AsExpected">;

/** What a probe with this reason says about the bucket; undefined: nothing, so the state before it stands. */
export function saysAvailable(reason: ProbeReason): boolean | undefined {
  switch (reason) {
    case "Available":
      return true;
    case "Throttled":
    case "CredentialsNotFound":
    case "InvalidSecret":
    case "InvalidCABundle":
    case "EndpointNotAllowed":
      return undefined;
    default:
      return false;
  }
}

/** False for findings that were made without asking the bucket: they say nothing about when it was last probed. */
export function wasAsked(reason: ProbeReason): boolean {
  return saysAvailable(reason) !== undefined || reason === "Throttled";
}
