import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { formatTime, type Instant, instantOf } from "farwatch";
import type { ServedRequest } from "../store/served-request.ts";
import { readAwsChunked } from "./aws-chunked.ts";
import type { S3Ask } from "./s3-ask.ts";
import { epochMsOf, malformed, readAuthorization, type S3Authorization } from "./s3-authorization.ts";
import { accessDenied, invalidArgument, S3Error } from "./s3-error.ts";
import type { S3User } from "./s3-options.ts";
import { sha256, verifySignature } from "./s3-signature.ts";

/** Beyond this a signature's time is refused. */
const skewMs = 15 * 60_000;
const unsigned = "UNSIGNED-PAYLOAD";
const streaming: ReadonlySet<string> = new Set([
  "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
]);

export interface S3AuthenticationContext {
  readonly users: ReadonlyMap<string, S3User>;
  /** That signatures must be for. */
  readonly region: string;
  readonly now: Instant;
}

/** Who asks, and the content of the request, its framing taken off and its checksums compared. */
export interface S3Authentication {
  /** Undefined: anonymous. */
  readonly user: S3User | undefined;
  readonly content: Buffer;
}

/** In the order of S3's own checks, where that is known, and of versitygw's. @throws S3Error */
export async function authenticate(
  request: ServedRequest,
  { query, operation }: S3Ask,
  context: S3AuthenticationContext,
): Promise<S3Authentication> {
  const { users, region, now } = context;
  const { headers } = request;
  const authorization = readAuthorization(request, query);
  if (authorization === undefined) {
    checkDigests(headers, request.body);
    return { user: undefined, content: request.body };
  }
  if (!authorization.presigned) checkSkew(authorization, now);
  if (authorization.region !== region) {
    throw malformed(authorization, `the region '${authorization.region}' is wrong; expecting '${region}'`, region);
  }
  if (authorization.presigned) checkExpiry(authorization, now);
  const user = users.get(authorization.accessKeyId);
  if (user === undefined) {
    throw new S3Error({
      status: 403,
      code: "InvalidAccessKeyId",
      message: "The AWS Access Key Id you provided does not exist in our records.",
      more: [["AWSAccessKeyId", authorization.accessKeyId]],
    });
  }
  checkToken(user, authorization, now);
  if (!authorization.longDate.startsWith(authorization.date)) {
    throw malformed(authorization, "Invalid credential date. Date is not the same as X-Amz-Date.");
  }
  const payloadHash = payloadHashOf(request, query, authorization.presigned);
  if (streaming.has(payloadHash) && operation !== "PutObject") {
    throw new S3Error({
      status: 400,
      code: "InvalidRequest",
      message: "The value of x-amz-content-sha256 header is invalid.",
    });
  }
  checkAllSigned(headers, authorization);
  const signature = await verifySignature(request, authorization, { credentials: user, payloadHash });
  if (!streaming.has(payloadHash)) {
    if (payloadHash !== unsigned) checkHash(payloadHash, sha256(request.body));
    checkDigests(headers, request.body);
    return { user, content: request.body };
  }
  const { content, trailers } = readAwsChunked(request.body, {
    signature: payloadHash.startsWith("STREAMING-UNSIGNED") ? undefined : signature,
    hasTrailer: payloadHash.endsWith("-TRAILER"),
  });
  checkDecodedLength(headers, content);
  checkDigests({ ...headers, ...trailers }, content);
  return { user, content };
}

function checkSkew({ longDate }: S3Authorization, now: Instant): void {
  const at = epochMsOf(longDate) ?? 0;
  if (Math.abs(at - now.getTime()) <= skewMs) return;
  throw new S3Error({
    status: 403,
    code: "RequestTimeTooSkewed",
    message: "The difference between the request time and the current time is too large.",
    more: [
      ["RequestTime", longDate],
      ["ServerTime", formatTime(now)],
      ["MaxAllowedSkewMilliseconds", skewMs],
    ],
  });
}

function checkExpiry({ longDate, expiresInSeconds = 0 }: S3Authorization, now: Instant): void {
  const at = epochMsOf(longDate) ?? 0;
  if (at - now.getTime() > skewMs) {
    throw accessDenied("Request is not yet valid", [
      ["X-Amz-Date", longDate],
      ["ServerTime", formatTime(now)],
    ]);
  }
  const expiresMs = at + expiresInSeconds * 1_000;
  if (expiresMs >= now.getTime()) return;
  throw accessDenied("Request has expired", [
    ["X-Amz-Expires", expiresInSeconds],
    ["Expires", formatTime(instantOf(expiresMs))],
    ["ServerTime", formatTime(now)],
  ]);
}

function checkToken({ sessionToken, expiresAt }: S3User, authorization: S3Authorization, now: Instant): void {
  if (authorization.sessionToken !== sessionToken) {
    throw new S3Error({
      status: 400,
      code: "InvalidToken",
      message: "The provided token is malformed or otherwise invalid.",
      more: [["Token-0", authorization.sessionToken]],
    });
  }
  if (expiresAt === undefined || now.getTime() < expiresAt.getTime()) return;
  throw new S3Error({ status: 400, code: "ExpiredToken", message: "The provided token has expired." });
}

function payloadHashOf({ headers }: ServedRequest, query: URLSearchParams, presigned: boolean): string {
  const given =
    headers["x-amz-content-sha256"] ??
    query.get("X-Amz-Content-Sha256") ??
    query.get("x-amz-content-sha256") ??
    undefined;
  if (given === undefined) {
    if (presigned) return unsigned;
    throw new S3Error({
      status: 400,
      code: "InvalidRequest",
      message: "Missing required header for this request: x-amz-content-sha256",
    });
  }
  if (given === unsigned || streaming.has(given) || /^[0-9a-f]{64}$/i.test(given)) return given;
  throw invalidArgument(
    `x-amz-content-sha256 must be ${unsigned}, ${[...streaming].join(", ")} or a valid sha256 value.`,
    "x-amz-content-sha256",
    given,
  );
}

/** What a signature leaves open, whoever carries the request could change. */
function checkAllSigned(headers: ServedRequest["headers"], { signedHeaders }: S3Authorization): void {
  const open = Object.keys(headers).filter(
    (name) => (name === "host" || name.startsWith("x-amz-")) && !signedHeaders.includes(name),
  );
  if (open.length === 0) return;
  throw accessDenied("There were headers present in the request which were not signed", [
    ["HeadersNotSigned", open.join(", ")],
  ]);
}

function checkHash(given: string, computed: string): void {
  if (given.toLowerCase() === computed) return;
  throw new S3Error({
    status: 400,
    code: "XAmzContentSHA256Mismatch",
    message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
    more: [
      ["ClientComputedContentSHA256", given],
      ["S3ComputedContentSHA256", computed],
    ],
  });
}

function checkDecodedLength(headers: ServedRequest["headers"], content: Buffer): void {
  const given = headers["x-amz-decoded-content-length"];
  if (given === undefined) {
    throw new S3Error({
      status: 411,
      code: "MissingContentLength",
      message: "You must provide the Content-Length HTTP header.",
    });
  }
  if (Number(given) === content.length) return;
  throw new S3Error({
    status: 400,
    code: "IncompleteBody",
    message: "You did not provide the number of bytes specified by the Content-Length HTTP header",
  });
}

const digests: readonly (readonly [header: string, algorithm: string, digest: (content: Buffer) => string])[] = [
  ["content-md5", "Content-MD5", (content) => createHash("md5").update(content).digest("base64")],
  ["x-amz-checksum-sha256", "SHA256", (content) => createHash("sha256").update(content).digest("base64")],
  ["x-amz-checksum-sha1", "SHA1", (content) => createHash("sha1").update(content).digest("base64")],
  ["x-amz-checksum-crc32", "CRC32", crc32Of],
];

/** Compares the checksums that came along, except for CRC32C and CRC64NVME, which Node does not have. */
function checkDigests(headers: Readonly<Record<string, string>>, content: Buffer): void {
  for (const [header, algorithm, digest] of digests) {
    const given = headers[header];
    if (given === undefined) continue;
    const computed = digest(content);
    if (given === computed) continue;
    if (Buffer.from(given, "base64").length !== Buffer.from(computed, "base64").length) {
      throw header === "content-md5"
        ? new S3Error({ status: 400, code: "InvalidDigest", message: "The Content-MD5 you specified was invalid." })
        : new S3Error({ status: 400, code: "InvalidRequest", message: `Value for ${header} header is invalid.` });
    }
    throw new S3Error({
      status: 400,
      code: "BadDigest",
      message: `The ${algorithm} you specified did not match the calculated checksum.`,
    });
  }
}

function crc32Of(content: Buffer): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(content));
  return bytes.toString("base64");
}
