import { generateKeyPair, randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { promisify } from "node:util";
import { type Duration, type Instant, instantOf, systemClock, toMs } from "farwatch";
import type { pki } from "node-forge";

/** A certificate and its private key, both as PEM text. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  /** The API server reads these as the groups of a client certificate's user. */
  readonly organizations?: readonly string[];
  /** DNS names and IP addresses that a server's certificate is for; default: none. */
  readonly hosts?: readonly string[];
  readonly usage: "server" | "client";
  /** Default: five minutes ago, so that a clock that is a little behind accepts it. */
  readonly notBefore?: Instant;
  /** From notBefore; default 24 hours. With an older notBefore this makes an expired certificate. */
  readonly validFor?: Duration;
}

/** Signs certificates for tests: trust `cert`, hand the issued ones to servers and clients. */
export interface CertificateAuthority {
  /** PEM. */
  readonly cert: string;
  issue(request: CertificateRequest): Promise<IssuedCertificate>;
}

const generateKeys = promisify(generateKeyPair);

async function rsaKeys(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  return generateKeys("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}

interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[] | undefined;
  readonly publicKey: string;
  readonly notBefore?: Instant | undefined;
  readonly validFor?: Duration | undefined;
  readonly extensions: readonly object[];
}

/** Makes an authority that no machine trusts until a test says so; its certificate is valid for a day. */
export async function createCertificateAuthority(
  // A name of its own, so that an unknown authority is reported as such and not as a wrong signature of a known one.
  commonName = `farwatch test authority ${randomBytes(4).toString("hex")}`,
): Promise<CertificateAuthority> {
  // Loaded when first used: most tests need no certificate.
  const { default: forge } = await import("node-forge");
  const authorityKeys = await rsaKeys();
  const authorityKey = forge.pki.privateKeyFromPem(authorityKeys.privateKey);
  const issuer: readonly pki.CertificateField[] = [{ name: "commonName", value: commonName }];

  const sign = (subject: Subject): string => {
    const certificate = forge.pki.createCertificate();
    const notBefore = subject.notBefore ?? instantOf(systemClock.now().getTime() - toMs("5m"));
    certificate.publicKey = forge.pki.publicKeyFromPem(subject.publicKey);
    // Positive, as X.509 asks: the first byte stays below 0x80.
    certificate.serialNumber = `01${randomBytes(15).toString("hex")}`;
    certificate.validity.notBefore = notBefore;
    certificate.validity.notAfter = instantOf(notBefore.getTime() + toMs(subject.validFor ?? "24h"));
    certificate.setSubject([
      { name: "commonName", value: subject.commonName },
      ...(subject.organizations ?? []).map((value) => ({ name: "organizationName", value })),
    ]);
    certificate.setIssuer([...issuer]);
    certificate.setExtensions([...subject.extensions]);
    certificate.sign(authorityKey, forge.md.sha256.create());
    return forge.pki.certificateToPem(certificate);
  };

  return {
    cert: sign({
      commonName,
      publicKey: authorityKeys.publicKey,
      extensions: [
        { name: "basicConstraints", cA: true, critical: true },
        { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
        { name: "subjectKeyIdentifier" },
      ],
    }),
    async issue(request): Promise<IssuedCertificate> {
      const keys = await rsaKeys();
      const altNames = (request.hosts ?? []).map((host) =>
        isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host },
      );
      const cert = sign({
        ...request,
        publicKey: keys.publicKey,
        extensions: [
          { name: "basicConstraints", cA: false, critical: true },
          { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
          request.usage === "server"
            ? { name: "extKeyUsage", serverAuth: true }
            : { name: "extKeyUsage", clientAuth: true },
          ...(altNames.length === 0 ? [] : [{ name: "subjectAltName", altNames }]),
        ],
      });
      return { cert, key: keys.privateKey };
    },
  };
}
