import { createHash, createHmac } from "node:crypto";
import { Sha256 } from "@aws-crypto/sha256-js";
import type { S3Credentials } from "@farwatch/testing";
import { HttpRequest } from "@smithy/protocol-http";
import { createScope, getSigningKey, SignatureV4 } from "@smithy/signature-v4";
import { type Instant, instantOf, type TransportRequest } from "farwatch";

/** A request that goes out as it is: whoever made it may have signed one thing and changed it to another. */
export interface RawRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

export interface SignedAsk {
  readonly method: string;
  /** With bucket and key, encoded; without a query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly credentials: S3Credentials & { readonly sessionToken?: string };
  /** How far the client's clock is off. */
  readonly offMs?: number;
  readonly region?: string;
  readonly service?: string;
  /** Of x-amz-content-sha256; null: no such header. */
  readonly hash?: string | null;
  /** Seconds that the URL is good for: signed in its query. */
  readonly presign?: number;
  readonly host?: string;
  /** Signs the body in chunks of this size. */
  readonly chunks?: { readonly size: number; readonly trailer?: string; readonly signed?: boolean };
  /** Done to the request after it was signed. */
  readonly tamper?: (request: RawRequest) => void;
}

export interface SignedAt {
  /** Base URL of the service. */
  readonly url: string;
  readonly region: string;
  readonly now: Instant;
}

export const sha256 = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: Uint8Array, text: string): string => createHmac("sha256", key).update(text).digest("hex");

/** Signs as clients of S3 do, with the library that ours uses. */
export async function signRequest(ask: SignedAsk, at: SignedAt): Promise<TransportRequest> {
  const base = new URL(at.url);
  const { method, path, body = "", credentials, presign, chunks } = ask;
  const host = ask.host ?? base.host;
  const region = ask.region ?? at.region;
  const signingDate = instantOf(at.now.getTime() + (ask.offMs ?? 0));
  const applyChecksum = ask.hash !== null && presign === undefined;
  const signer = new SignatureV4({
    ...{ service: ask.service ?? "s3", region, credentials, sha256: Sha256, uriEscapePath: false, applyChecksum },
  });
  const payload = presign === undefined ? (ask.hash ?? payloadOf(chunks)) : "UNSIGNED-PAYLOAD";
  const headers: Record<string, string> = { host, ...ask.headers };
  if (payload !== undefined) headers["x-amz-content-sha256"] = payload;
  if (chunks !== undefined) {
    headers["content-encoding"] = "aws-chunked";
    headers["x-amz-decoded-content-length"] = String(Buffer.byteLength(body));
    if (chunks.trailer !== undefined) headers["x-amz-trailer"] = chunks.trailer.slice(0, chunks.trailer.indexOf(":"));
  }
  const unsigned = new HttpRequest({
    ...{ method, protocol: base.protocol, hostname: base.hostname, path, query: { ...ask.query }, headers },
    ...(body === "" ? {} : { body }),
  });
  const signed =
    presign === undefined
      ? await signer.sign(unsigned, { signingDate })
      : await signer.presign(unsigned, { signingDate, expiresIn: presign });
  const search = Object.entries(signed.query as Record<string, string>)
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .join("&");
  const raw: RawRequest = {
    method,
    url: `${at.url}${path}${search === "" ? "" : `?${search}`}`,
    headers: Object.fromEntries(Object.entries(signed.headers).map(([name, value]) => [name.toLowerCase(), value])),
    body:
      chunks === undefined
        ? Buffer.from(body)
        : await chunked(body, chunks, { headers: signed.headers, credentials, region, signingDate }),
  };
  ask.tamper?.(raw);
  return {
    method: raw.method,
    url: raw.url,
    headers: raw.headers,
    ...(raw.body.length === 0 ? {} : { body: raw.body }),
  };
}

function payloadOf(chunks: SignedAsk["chunks"]): string | undefined {
  if (chunks === undefined) return undefined;
  const trailer = chunks.trailer === undefined ? "" : "-TRAILER";
  return chunks.signed === false
    ? `STREAMING-UNSIGNED-PAYLOAD${trailer}`
    : `STREAMING-AWS4-HMAC-SHA256-PAYLOAD${trailer}`;
}

async function chunked(
  body: string,
  { size, trailer, signed = true }: NonNullable<SignedAsk["chunks"]>,
  from: {
    readonly headers: Readonly<Record<string, string>>;
    readonly credentials: S3Credentials;
    readonly region: string;
    readonly signingDate: Instant;
  },
): Promise<Buffer> {
  const longDate = from.signingDate.toISOString().replace(/[-:]|\.\d+/g, "");
  const date = longDate.slice(0, 8);
  const key = await getSigningKey(Sha256, from.credentials, date, from.region, "s3");
  const scope = createScope(date, from.region, "s3");
  let previous = /Signature=([0-9a-f]+)/.exec(from.headers.authorization ?? "")?.[1] ?? "";
  const sign = (name: string, ...lines: readonly string[]): string => {
    previous = hmac(key, [name, longDate, scope, previous, ...lines].join("\n"));
    return previous;
  };
  const bytes = Buffer.from(body);
  const parts: Buffer[] = [];
  for (let start = 0; start <= bytes.length; start += size) {
    // Last comes the empty one.
    const part = bytes.subarray(start, start + size);
    if (part.length === 0) break;
    parts.push(chunkOf(part));
  }
  function chunkOf(part: Buffer): Buffer {
    const signature = signed ? `;chunk-signature=${sign("AWS4-HMAC-SHA256-PAYLOAD", sha256(""), sha256(part))}` : "";
    const end = part.length === 0 ? "" : "\r\n";
    return Buffer.concat([Buffer.from(`${part.length.toString(16)}${signature}\r\n`), part, Buffer.from(end)]);
  }
  parts.push(chunkOf(Buffer.alloc(0)));
  if (trailer !== undefined) {
    const signature = signed
      ? `x-amz-trailer-signature:${sign("AWS4-HMAC-SHA256-TRAILER", sha256(`${trailer}\n`))}\r\n`
      : "";
    parts.push(Buffer.from(`${trailer}\r\n${signature}`));
  }
  parts.push(Buffer.from("\r\n"));
  return Buffer.concat(parts);
}

function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}
