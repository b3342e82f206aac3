import type { Secret } from "farwatch";
import { parseAuthority } from "../endpoint/authority.ts";
import { credentialsSecretType } from "../resource/storage-bucket.ts";

/** What signs requests to S3. Never log it. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Why something that the spec names cannot be used, as a sentence that names the key and never its value. */
export interface Unusable {
  readonly problem: string;
}

/** An origin that credentials are about to be sent to. */
export interface Destination {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
}

export interface BucketSecret {
  readonly credentials: S3Credentials;
  /** True when the credentials may be sent there. */
  allows(destination: Destination): boolean;
}

/** The provider's own hosts. Each part can be read in one way only, so that no name takes long to refuse. */
const awsHost = /^(?:[a-z0-9-]+\.)*s3(?:[.-][a-z0-9]+)*\.amazonaws\.com(?:\.cn)?$/;

/**
 * Reads credentials and where they may go: the exact hosts of `allowedEndpoints` (port 443 where none is given), or the provider's
 * own over TLS.
 */
export function readBucketSecret(secret: Secret): BucketSecret | Unusable {
  const { name } = secret.metadata;
  if (secret.type !== credentialsSecretType) {
    return { problem: `Secret ${name} has type ${secret.type ?? "Opaque"}, it must be ${credentialsSecretType}` };
  }
  const accessKeyId = readText(secret, "accessKeyId");
  const secretAccessKey = readText(secret, "secretAccessKey");
  const sessionToken = readText(secret, "sessionToken");
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    return { problem: `Secret ${name} has no key ${accessKeyId === undefined ? "accessKeyId" : "secretAccessKey"}` };
  }
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  // They become parts of headers.
  const [garbled] = Object.entries(credentials).find(([, value]) => /[^\x21-\x7e]/.test(value)) ?? [];
  if (garbled !== undefined) return { problem: `Secret ${name} has a key ${garbled} that is not plain printable text` };

  const entries = (readText(secret, "allowedEndpoints") ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
  const allowed = entries.map(parseAuthority);
  if (allowed.includes(undefined)) {
    return { problem: `Secret ${name} has a key allowedEndpoints with an entry that is not host[:port]` };
  }
  return {
    credentials,
    allows({ host, port, secure }): boolean {
      if (allowed.length === 0) return secure && port === 443 && awsHost.test(host);
      return allowed.some((entry) => entry?.host === host && (entry.port ?? 443) === port);
    },
  };
}

function readText({ data }: Secret, key: string): string | undefined {
  // Credentials pasted with their newline are the most common of all mistakes; no provider's keys hold white space.
  const text = Buffer.from(data?.[key] ?? "", "base64")
    .toString("utf8")
    .trim();
  return text === "" ? undefined : text;
}
