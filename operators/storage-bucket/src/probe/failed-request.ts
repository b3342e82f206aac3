import { isCodedError, type TransportError } from "farwatch";
import { EndpointRefused } from "../endpoint/endpoint-policy.ts";
import type { Finding } from "./s3-answer.ts";

/** What it means that a request got no answer. Undefined for an error that is none of the network's. */
export function classifyFailure(error: unknown, endpoint: string): Finding | undefined {
  if (error instanceof EndpointRefused) return { reason: "EndpointNotAllowed", message: error.message };
  if (!isTransportError(error)) return undefined;
  switch (error.phase) {
    case "resolve":
      return { reason: "DNSFailure", message: `the name of ${endpoint} could not be resolved` };
    case "tls":
      return { reason: "TLSFailure", message: `TLS with ${endpoint} failed${tlsHint(error.systemCode)}` };
    case "connect":
      if (error.systemCode === "ECONNREFUSED")
        return { reason: "ConnectionRefused", message: `${endpoint} refused the connection` };
      if (error.systemCode === "ETIMEDOUT")
        return { reason: "Timeout", message: `${endpoint} did not accept a connection in time` };
      return { reason: "ConnectionFailed", message: `no connection to ${endpoint} could be made` };
    case "proxy":
      return { reason: "ConnectionFailed", message: `the proxy did not connect to ${endpoint}` };
    default:
      return { reason: "ConnectionFailed", message: `${endpoint} closed the connection without an answer` };
  }
}

function isTransportError(error: unknown): error is TransportError {
  return isCodedError(error, "ConnectionFailed") && "phase" in error;
}

/** What Node's certificate codes mean, for those that a person can act on. */
function tlsHint(systemCode: string | undefined): string {
  switch (systemCode) {
    case "CERT_HAS_EXPIRED":
      return ": its certificate has expired";
    case "CERT_NOT_YET_VALID":
      return ": its certificate is not valid yet";
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return ": its certificate is for another name";
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return ": its certificate is not signed by a trusted authority; name one with caBundleRef";
    default:
      return "";
  }
}
