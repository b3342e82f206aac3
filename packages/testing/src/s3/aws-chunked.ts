import { createHash } from "node:crypto";
import { S3Error } from "./s3-error.ts";
import { hmac, isSame, sha256, type VerifiedSignature } from "./s3-signature.ts";

/** The content of an `aws-chunked` body, and the headers that came behind it. */
export interface ChunkedContent {
  readonly content: Buffer;
  readonly trailers: Readonly<Record<string, string>>;
}

export interface ChunkedOptions {
  /** Of the request; undefined: chunks are not signed. */
  readonly signature: VerifiedSignature | undefined;
  readonly hasTrailer: boolean;
}

const emptyHash = createHash("sha256").digest("hex");

/**
 * Takes an `aws-chunked` body apart: SIZE[;chunk-signature=HEX] CRLF BYTES CRLF, until a size of 0, then trailers. Each
 * signature covers the one before it.
 *
 * @throws S3Error `SignatureDoesNotMatch` for a chunk or trailer; `IncompleteBody` for a body that is cut or is none.
 */
export function readAwsChunked(body: Buffer, { signature, hasTrailer }: ChunkedOptions): ChunkedContent {
  const parts: Buffer[] = [];
  let previous = signature?.authorization.signature ?? "";
  let at = 0;
  const line = (): string => {
    const end = body.indexOf("\r\n", at);
    if (end === -1) throw incomplete();
    const text = body.toString("latin1", at, end);
    at = end + 2;
    return text;
  };
  for (;;) {
    const [, digits, given = ""] = /^([0-9a-f]+)(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(line()) ?? [];
    if (digits === undefined) throw incomplete();
    const size = Number.parseInt(digits, 16);
    const chunk = body.subarray(at, at + size);
    if (chunk.length < size) throw incomplete();
    if (signature !== undefined) {
      previous = verify(signature, ["AWS4-HMAC-SHA256-PAYLOAD", previous, emptyHash, sha256(chunk)], given);
    }
    if (size === 0) break;
    parts.push(chunk);
    at += size;
    if (line() !== "") throw incomplete();
  }
  const trailers: Record<string, string> = {};
  let signedPart = "";
  for (let text = at < body.length ? line() : ""; text !== ""; text = at < body.length ? line() : "") {
    const colon = text.indexOf(":");
    if (colon < 1) throw incomplete();
    const name = text.slice(0, colon).toLowerCase();
    const value = text.slice(colon + 1).trim();
    if (name !== "x-amz-trailer-signature") signedPart += `${name}:${value}\n`;
    trailers[name] = value;
  }
  if (hasTrailer && signature !== undefined) {
    verify(
      signature,
      ["AWS4-HMAC-SHA256-TRAILER", previous, sha256(signedPart)],
      trailers["x-amz-trailer-signature"] ?? "",
    );
  }
  return { content: Buffer.concat(parts), trailers };
}

function verify(
  { key, scope, authorization }: VerifiedSignature,
  [name, ...lines]: readonly [string, ...string[]],
  given: string,
): string {
  const stringToSign = [name, authorization.longDate, scope, ...lines].join("\n");
  if (isSame(hmac(key, stringToSign), given)) return given;
  throw new S3Error({
    status: 403,
    code: "SignatureDoesNotMatch",
    message:
      "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
    more: [
      ["AWSAccessKeyId", authorization.accessKeyId],
      ["StringToSign", stringToSign],
      ["SignatureProvided", given],
    ],
  });
}

function incomplete(): S3Error {
  return new S3Error({
    status: 400,
    code: "IncompleteBody",
    message: "The request body terminated unexpectedly",
  });
}
