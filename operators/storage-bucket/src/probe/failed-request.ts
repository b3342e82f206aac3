import { isCodedError, type TransportError } from "farwatch";
import { EndpointRefused } from "../endpoint/endpoint-policy.ts";
import type { Finding } from "./probe-result.ts";

/** Whom a request was for. */
export interface Asked {
  /** How messages name the service. */
  readonly endpoint: string;
  /** A proxy stood in between. */
  readonly proxied: boolean;
}

/** What it means that a request got no answer. Undefined for an error that is none of the network's. */
export function classifyFailure(error: unknown, asked: Asked): Finding | undefined {
  const { endpoint } = asked;
  if (error instanceof EndpointRefused) return { reason: "EndpointNotAllowed", message: error.message };
  if (isCodedError(error, "ProtocolError") || isGarbled(error)) {
    return {
      reason: "UnexpectedResponse",
      message: `${endpoint} answers with something that is not HTTP, or beyond its limits`,
    };
  }
  return isTransportError(error) ? unanswered(error, asked) : undefined;
}

function unanswered({ phase, systemCode }: TransportError, { endpoint, proxied }: Asked): Finding {
  if (proxied && (phase === "resolve" || phase === "connect")) {
    return { reason: "ConnectionFailed", message: `the proxy on the way to ${endpoint} cannot be reached` };
  }
  switch (phase) {
    case "resolve":
      return { reason: "DNSFailure", message: `the name of ${endpoint} could not be resolved` };
    case "connect":
      if (systemCode === "ECONNREFUSED")
        return { reason: "ConnectionRefused", message: `${endpoint} refused the connection` };
      if (systemCode === "ETIMEDOUT")
        return { reason: "Timeout", message: `${endpoint} did not accept a connection in time` };
      return { reason: "ConnectionFailed", message: `no connection to ${endpoint} could be made` };
    case "tls":
      return { reason: "TLSFailure", message: `TLS with ${endpoint} failed${tlsHint(systemCode)}` };
    case "proxy":
      return { reason: "ConnectionFailed", message: `the proxy did not connect to ${endpoint}` };
    default:
      return { reason: "ConnectionFailed", message: `${endpoint} closed the connection without an answer` };
  }
}

function isTransportError(error: unknown): error is TransportError {
  return isCodedError(error, "ConnectionFailed") && "phase" in error;
}

/** True when Node's HTTP parser gave up. */
function isGarbled(error: unknown): boolean {
  return (
    isTransportError(error) &&
    error.systemCode?.startsWith("HPE_") === true &&
    error.systemCode !== "HPE_INVALID_EOF_STATE"
  );
}

/** What Node's codes mean, for those that a person can act on. */
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
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return ": it does not seem to speak TLS; an http endpoint begins with http://";
    default:
      return "";
  }
}
