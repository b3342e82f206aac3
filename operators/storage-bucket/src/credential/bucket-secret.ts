import type { Secret } from "farwatch";
import { parseAuthority } from "../endpoint/endpoint-policy.ts";
import { credentialsSecretType } from "../resource/storage-bucket.ts";

/** What signs requests to S3. Never log it. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Why a Secret cannot be used; the text names the key and never its value. */
export class UnusableSecret extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnusableSecret";
  }
}

export interface BucketSecret {
  readonly credentials: S3Credentials;
  /** True when the credentials may be sent to this host and port. */
  allows(host: string, port: number): boolean;
}

/** The provider's own hosts, which credentials go to when the Secret names no others. */
const awsHost = /^(?:[a-z0-9.-]+\.)?s3(?:[.-][a-z0-9-]+)*\.amazonaws\.com(?:\.cn)?$/;

/** @throws UnusableSecret */
export function readBucketSecret(secret: Secret): BucketSecret {
  const { name } = secret.metadata;
  if (secret.type !== credentialsSecretType) {
    throw new UnusableSecret(`Secret ${name} has type ${secret.type ?? "Opaque"}, it must be ${credentialsSecretType}`);
  }
  const read = (key: string): string | undefined => {
    const encoded = secret.data?.[key];
    if (encoded === undefined) return undefined;
    // Credentials pasted with their newline are the most common of all mistakes; no provider's keys hold white space.
    const text = Buffer.from(encoded, "base64").toString("utf8").trim();
    return text === "" ? undefined : text;
  };
  const need = (key: string): string => {
    const value = read(key);
    if (value === undefined) throw new UnusableSecret(`Secret ${name} has no key ${key}`);
    if (/[^\x21-\x7e]/.test(value))
      throw new UnusableSecret(`Secret ${name} has a key ${key} that is not plain printable text`);
    return value;
  };
  const accessKeyId = need("accessKeyId");
  const secretAccessKey = need("secretAccessKey");
  const sessionToken = read("sessionToken") === undefined ? undefined : need("sessionToken");
  const allowed = (read("allowedEndpoints") ?? "")
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map((entry) => {
      const authority = parseAuthority(entry);
      if (authority === undefined)
        throw new UnusableSecret(`Secret ${name} has a key allowedEndpoints with an entry that is not host[:port]`);
      return authority;
    });
  return {
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    allows(host, port): boolean {
      if (allowed.length === 0) return port === 443 && awsHost.test(host);
      return allowed.some((entry) => entry.host === host && (entry.port ?? 443) === port);
    },
  };
}
