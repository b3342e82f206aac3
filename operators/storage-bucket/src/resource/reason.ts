/**
 * What each finding of a probe says about `available`:
 * `True` or `False`; `Kept`: the bucket answered, and nothing follows from it; `Unknown`: the bucket was not asked.
 */
type Verdict = "True" | "False" | "Kept" | "Unknown";

const verdicts = {
  /** The bucket answered as it should. */
  Available: "True",
  BucketNotFound: "False",
  AccessDenied: "False",
  InvalidCredentials: "False",
  WrongRegion: "False",
  ClockSkew: "False",
  Timeout: "False",
  ConnectionRefused: "False",
  ConnectionFailed: "False",
  DNSFailure: "False",
  TLSFailure: "False",
  ServerError: "False",
  UnexpectedResponse: "False",
  Throttled: "Kept",
  /** The Secret or CA bundle that the spec names is missing or not usable. */
  CredentialsNotFound: "Unknown",
  InvalidSecret: "Unknown",
  InvalidCABundle: "Unknown",
  /** The operator's policy or the Secret's `allowedEndpoints` refuses the endpoint. */
  EndpointNotAllowed: "Unknown",
  /** The spec passed the API server's checks, and still nothing can be asked. */
  InvalidSpec: "Unknown",
} as const satisfies Record<string, Verdict>;

/** What a probe can find. */
export type ProbeReason = keyof typeof verdicts;

/** What conditions say beyond the findings of probes. */
const conditionReasons = [
  "AsExpected",
  "CertificateExpiring",
  "CredentialsRefused",
  "EndpointUnavailable",
  "NotProbed",
  "SlowResponse",
  "Suspended",
] as const;

/**
 * Why a bucket is as it is: every reason of a condition and of `status.lastProbe`. The names are an API: alerts and dashboards
 * match them.
 */
export type Reason = ProbeReason | (typeof conditionReasons)[number];

export const reasons: readonly Reason[] = [...(Object.keys(verdicts) as ProbeReason[]), ...conditionReasons];

/** What a finding says about `available`. */
export function verdictOf(reason: ProbeReason): Verdict {
  return verdicts[reason];
}
