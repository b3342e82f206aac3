import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import type { ServedRequest } from "../store/served-request.ts";
import { algorithm, type S3Authorization } from "./s3-authorization.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Credentials } from "./signed-request.ts";

/** Loaded when first used, and once: only suites with an S3 server need them. */
let libraries: ReturnType<typeof loadLibraries> | undefined;

function loadLibraries() {
  return Promise.all([
    import("@smithy/signature-v4"),
    import("@aws-crypto/sha256-js"),
    import("@smithy/protocol-http"),
  ]);
}

/** A signature that was found right, with what signs the chunks that follow it. */
export interface VerifiedSignature {
  readonly key: KeyObject;
  readonly scope: string;
  readonly authorization: S3Authorization;
}

/** The last key of each user: a day's is the same for all that is signed with it, and costs more than that. */
const signingKeys = new WeakMap<S3Credentials, Pick<VerifiedSignature, "key" | "scope">>();

/**
 * Computes the signature of the request as it arrived, and compares. What is canonical, and how keys are derived, is
 * the library's.
 *
 * @throws S3Error `SignatureDoesNotMatch`, with what was signed here, so that a client's author can compare.
 */
export async function verifySignature(
  request: ServedRequest,
  authorization: S3Authorization,
  { credentials, payloadHash }: { readonly credentials: S3Credentials; readonly payloadHash: string },
): Promise<VerifiedSignature> {
  libraries ??= loadLibraries();
  const [{ createScope, getCanonicalHeaders, getCanonicalQuery, getSigningKey }, { Sha256 }, { HttpRequest }] =
    await libraries;
  const { date, region, longDate, signature } = authorization;
  const signedHeaders = new Set(authorization.signedHeaders);
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => signedHeaders.has(name)));
  const parameters = Map.groupBy(new URLSearchParams(request.query), ([name]) => name);
  const query = Object.fromEntries([...parameters].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]));
  const read = new HttpRequest({ method: request.method, path: canonicalPath(request.path), headers, query });
  const canonicalHeaders = getCanonicalHeaders(read, undefined, signedHeaders);
  const names = Object.keys(canonicalHeaders).sort();
  const canonicalRequest = [
    request.method,
    read.path,
    getCanonicalQuery(read),
    ...names.map((name) => `${name}:${canonicalHeaders[name]}`),
    "",
    names.join(";"),
    payloadHash,
  ].join("\n");
  const scope = createScope(date, region, "s3");
  const stringToSign = [algorithm, longDate, scope, sha256(canonicalRequest)].join("\n");
  let signing = signingKeys.get(credentials);
  if (signing?.scope !== scope) {
    signing = { scope, key: createSecretKey(await getSigningKey(Sha256, credentials, date, region, "s3")) };
    signingKeys.set(credentials, signing);
  }
  const { key } = signing;
  if (!isSame(hmac(key, stringToSign), signature)) {
    throw new S3Error({
      status: 403,
      code: "SignatureDoesNotMatch",
      message:
        "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
      more: [
        ["AWSAccessKeyId", credentials.accessKeyId],
        ["StringToSign", stringToSign],
        ["SignatureProvided", signature],
        ["StringToSignBytes", spelled(stringToSign)],
        ["CanonicalRequest", canonicalRequest],
        ["CanonicalRequestBytes", spelled(canonicalRequest)],
      ],
    });
  }
  return { key, scope, authorization };
}

/** Each segment decoded and encoded once: S3 is the one service whose paths are not encoded a second time. */
function canonicalPath(path: string): string {
  try {
    return path
      .split("/")
      .map((segment) => encodeURIComponent(decodeURIComponent(segment)).replace(/[!'()*]/g, percentEncoded))
      .join("/");
  } catch {
    throw new S3Error({ status: 400, code: "InvalidURI", message: "Couldn't parse the specified URI." });
  }
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

export function sha256(content: string | Uint8Array): string {
  return hash("sha256", content, "hex");
}

export function hmac(key: KeyObject, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex");
}

export function isSame(computed: string, given: string): boolean {
  return computed.length === given.length && timingSafeEqual(Buffer.from(computed), Buffer.from(given));
}

/** The bytes of a text as S3 spells them in an error document. */
function spelled(text: string): string {
  return Buffer.from(text)
    .toString("hex")
    .replace(/..(?=.)/g, "$& ");
}
