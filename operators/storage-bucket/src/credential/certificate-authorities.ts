import { X509Certificate } from "node:crypto";
import type { Unusable } from "./bucket-secret.ts";

/** Certificate authorities to trust instead of the system's. */
export interface CaBundle {
  readonly pem: string;
}

const certificatePattern = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** Takes certificates and nothing else; what was found instead is not repeated. `where` names the place. */
export function parseCaBundle(text: string, where: string): CaBundle | Unusable {
  const found = text.match(certificatePattern) ?? [];
  // What stands between certificates may be a comment, but a private key in a bundle is an accident to refuse.
  if (found.length === 0 || /PRIVATE KEY/.test(text))
    return { problem: `${where} does not hold PEM certificates alone` };
  return found.every(isCertificate)
    ? { pem: found.join("\n") }
    : { problem: `${where} holds a certificate that cannot be read` };
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
