import { Sha256 } from "@aws-crypto/sha256-js";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import type { Instant } from "farwatch";
import type { S3Credentials } from "../credential/bucket-secret.ts";
import type { S3Target } from "./s3-target.ts";

/** SHA-256 of the empty body, which HEAD and GET have. */
const emptyBodyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

export interface S3Request {
  readonly method: "HEAD" | "GET";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface S3RequestOptions {
  readonly method: "HEAD" | "GET";
  readonly query: Readonly<Record<string, string>>;
  /** Undefined: not signed. */
  readonly credentials: S3Credentials | undefined;
  readonly now: Instant;
}

/**
 * A request to the bucket itself, signed with Signature Version 4 where there are credentials. Nothing of them is kept: a new
 * secret signs the very next request.
 */
export async function s3Request({ url: bucketUrl, region }: S3Target, options: S3RequestOptions): Promise<S3Request> {
  const { method, query, credentials, now } = options;
  const url = new URL(bucketUrl);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const { host, hostname, protocol, pathname: path } = url;
  if (credentials === undefined) return { method, url: url.href, headers: { host } };
  // S3 is the one service whose paths are not encoded a second time for the signature.
  const signer = new SignatureV4({ service: "s3", region, credentials, sha256: Sha256, uriEscapePath: false });
  const headers = { host, "x-amz-content-sha256": emptyBodyHash };
  const signed = await signer.sign(
    new HttpRequest({ method, protocol, hostname, path, query: { ...query }, headers }),
    {
      signingDate: now,
    },
  );
  return { method, url: url.href, headers: lowerCased(signed.headers) };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
