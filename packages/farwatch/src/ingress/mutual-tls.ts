import { CodedError } from "../error/coded-error.ts";
import type { Verifier } from "./verifier.ts";

export interface MutualTlsOptions {
  /** SHA-256 of certificates, in hexadecimal, with or without colons. */
  readonly fingerprints?: readonly string[] | undefined;
  /** Subjects as `CN=sender,O=example`: attributes in the order of the certificate, with RFC 2253 escapes. */
  readonly subjects?: readonly string[] | undefined;
}

/**
 * Senders with a certificate that the `clientCa` of the ingress has signed, and whose fingerprint or subject is listed:
 * the CA may have signed others. The ingress itself must end TLS: a proxy before it that does so hides the certificate,
 * and everybody gets 401.
 *
 * @throws CodedError `InvalidOption` when nobody is listed, or a fingerprint is none.
 */
export function mutualTls({ fingerprints = [], subjects = [] }: MutualTlsOptions): Verifier {
  if (fingerprints.length + subjects.length === 0) {
    throw new CodedError("InvalidOption", "Cannot make mutualTls: nobody may send, list fingerprints or subjects");
  }
  const knownFingerprints = new Set(fingerprints.map(normal));
  const knownSubjects = new Set(subjects);
  return {
    covers: "request",
    challenge: "Mutual",
    async verify({ peerCertificate }) {
      if (peerCertificate === undefined) return undefined;
      const { fingerprint, subject } = peerCertificate;
      return knownFingerprints.has(fingerprint) || knownSubjects.has(subject) ? { identity: subject } : undefined;
    },
  };
}

function normal(fingerprint: string): string {
  const digits = fingerprint.replaceAll(":", "").toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digits)) return digits;
  throw new CodedError(
    "InvalidOption",
    `Cannot make mutualTls: ${JSON.stringify(fingerprint)} is no SHA-256 fingerprint, give 64 hexadecimal digits`,
  );
}
