import { createHash, createHmac } from "node:crypto";
import type { S3Credentials } from "@farwatch/testing";
import { type Instant, instantOf, type TransportRequest } from "farwatch";

// By hand, as the pages "Signature Calculations" of the S3 reference say: what the store checks with a library is not signed with it.

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
  readonly credentials: S3Credentials;
  /** How far the client's clock is off. */
  readonly offMs?: number;
  readonly region?: string;
  readonly service?: string;
  /** Of x-amz-content-sha256; null: no such header. */
  readonly hash?: string | null;
  /** Seconds that the URL is good for: signed in its query. */
  readonly presign?: number;
  readonly host?: string;
  /** Sends the body in chunks of this size, each signed unless told otherwise, with a trailer where there is one. */
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

export const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const algorithm = "AWS4-HMAC-SHA256";

/** What a signature is made with. */
interface Signer {
  readonly longDate: string;
  readonly scope: string;
  sign(name: string, ...lines: readonly string[]): string;
}

function signerOf({ credentials, ...ask }: SignedAsk, at: SignedAt): Signer {
  const longDate = instantOf(at.now.getTime() + (ask.offMs ?? 0))
    .toISOString()
    .replace(/[-:]|\.\d+/g, "");
  const parts = [longDate.slice(0, 8), ask.region ?? at.region, ask.service ?? "s3", "aws4_request"];
  const key = parts.reduce<Buffer>((by, part) => hmac(by, part), Buffer.from(`AWS4${credentials.secretAccessKey}`));
  const scope = parts.join("/");
  return {
    longDate,
    scope,
    sign: (name, ...lines) => hmac(key, [name, longDate, scope, ...lines].join("\n")).toString("hex"),
  };
}

/** Signs as clients of S3 do. */
export function signRequest(ask: SignedAsk, at: SignedAt): TransportRequest {
  const { method, path, body = "", credentials, presign, chunks, hash } = ask;
  const signer = signerOf(ask, at);
  const credential = `${credentials.accessKeyId}/${signer.scope}`;
  const headers: Record<string, string> = { host: ask.host ?? new URL(at.url).host, ...ask.headers };
  const query: Record<string, string> = { ...ask.query };
  let payload = hash ?? (chunks === undefined ? sha256(body) : payloadOf(chunks));
  if (chunks !== undefined) {
    headers["content-encoding"] = "aws-chunked";
    headers["x-amz-decoded-content-length"] = String(Buffer.byteLength(body));
    if (chunks.trailer !== undefined) headers["x-amz-trailer"] = chunks.trailer.slice(0, chunks.trailer.indexOf(":"));
  }
  if (presign === undefined) {
    headers["x-amz-date"] = signer.longDate;
    if (hash !== null) headers["x-amz-content-sha256"] = payload;
  } else {
    payload = "UNSIGNED-PAYLOAD";
    Object.assign(query, {
      "X-Amz-Algorithm": algorithm,
      "X-Amz-Credential": credential,
      "X-Amz-Date": signer.longDate,
      "X-Amz-Expires": String(presign),
      "X-Amz-SignedHeaders": Object.keys(headers).sort().join(";"),
    });
  }
  const names = Object.keys(headers).sort();
  const search = Object.keys(query)
    .sort()
    .map((name) => `${escaped(name)}=${escaped(query[name] ?? "")}`)
    .join("&");
  const lines = names.map((name) => `${name}:${headers[name]?.trim()}`);
  const canonical = [method, path, search, ...lines, "", names.join(";"), payload].join("\n");
  const signature = signer.sign(algorithm, sha256(canonical));
  if (presign === undefined) {
    headers.authorization = `${algorithm} Credential=${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  }
  const shown = presign === undefined ? search : `${search}&X-Amz-Signature=${signature}`;
  const raw: RawRequest = {
    ...{ method, headers, url: `${at.url}${path}${shown === "" ? "" : `?${shown}`}` },
    body: chunks === undefined ? Buffer.from(body) : chunked(Buffer.from(body), chunks, { signer, signature }),
  };
  ask.tamper?.(raw);
  return {
    method: raw.method,
    url: raw.url,
    headers: raw.headers,
    ...(raw.body.length === 0 ? {} : { body: raw.body }),
  };
}

function payloadOf({ trailer, signed = true }: NonNullable<SignedAsk["chunks"]>): string {
  return `${signed ? "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" : "STREAMING-UNSIGNED-PAYLOAD"}${trailer === undefined ? "" : "-TRAILER"}`;
}

function chunked(
  body: Buffer,
  { size, trailer, signed = true }: NonNullable<SignedAsk["chunks"]>,
  { signer, signature }: { readonly signer: Signer; readonly signature: string },
): Buffer {
  let previous = signature;
  const sign = (name: string, ...lines: readonly string[]): string => {
    previous = signer.sign(name, previous, ...lines);
    return previous;
  };
  const parts: Buffer[] = [];
  // Last comes an empty one.
  for (let start = 0; start < body.length + size; start += size) {
    const part = start < body.length ? body.subarray(start, start + size) : Buffer.alloc(0);
    const mark = signed ? `;chunk-signature=${sign(`${algorithm}-PAYLOAD`, sha256(""), sha256(part))}` : "";
    parts.push(
      Buffer.from(`${part.length.toString(16)}${mark}\r\n`),
      part,
      Buffer.from(part.length === 0 ? "" : "\r\n"),
    );
  }
  if (trailer !== undefined) {
    const mark = signed ? `x-amz-trailer-signature:${sign(`${algorithm}-TRAILER`, sha256(`${trailer}\n`))}\r\n` : "";
    parts.push(Buffer.from(`${trailer}\r\n${mark}`));
  }
  return Buffer.concat([...parts, Buffer.from("\r\n")]);
}

function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}
