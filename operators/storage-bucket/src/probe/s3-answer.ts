import type { PeerCertificate, TransportResponse, TransportTimings } from "farwatch";
import { isRegion } from "./s3-target.ts";

/** Bodies are read for two words of an error document. */
const bodyBytes = 64 * 1_024;
const longestDetail = 128;
/** Between the values of a header that came several times (RFC 9110, 5.3). */
const separator = ", ";

/** One answer of the service, as far as it explains anything. */
export interface S3Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** `Code` of the error document, when there was one. */
  readonly code?: string | undefined;
  /** The bucket's region, as a header or the error document names it. */
  readonly region?: string | undefined;
  readonly timings?: TransportTimings | undefined;
  readonly certificate?: PeerCertificate | undefined;
}

/** Reads an answer to its end, or to the most that is worth reading. */
export async function readS3Answer(response: TransportResponse): Promise<S3Answer> {
  const { status, body, timings, peerCertificate } = response;
  const text = await startOf(body);
  const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, said(value)]));
  const region = headers["x-amz-bucket-region"] ?? element(text, "Region");
  return {
    status,
    headers,
    code: element(text, "Code"),
    region: region !== undefined && isRegion(region) ? region : undefined,
    timings,
    certificate: peerCertificate,
  };
}

/** True for answers to HEAD that a body would explain; HEAD has none, so one GET is worth it. */
export function needsExplanation({ status }: S3Answer): boolean {
  return [301, 307, 400, 403, 503].includes(status);
}

/** True for an answer that no S3 service gives: a login page, a default backend, a firewall. */
export function isWebPage({ headers }: S3Answer): boolean {
  return /^\s*text\/html\b/i.test(headers["content-type"] ?? "");
}

/** What helps the provider's support to find the request. */
export function detailOf({ headers, code }: S3Answer): Readonly<Record<string, string>> {
  const id = headers["x-amz-request-id"]?.replace(/[^\x20-\x7e]/g, "").slice(0, longestDetail);
  return { ...(id === undefined ? {} : { requestId: id }), ...(code === undefined ? {} : { code }) };
}

/** A header that came twice, such as from a store and from the proxy before it, is joined: the same again says nothing more. */
function said(value: string): string {
  const length = (value.length - separator.length) / 2;
  const once = value.slice(0, Math.max(0, length));
  return value === `${once}${separator}${once}` ? once : value;
}

async function startOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, bodyBytes - bytes));
    bytes += chunk.byteLength;
    if (bytes >= bodyBytes) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The text of a simple element of an S3 error document. An XML parser would read entities and more: a larger target than two words are worth. */
function element(document: string, name: string): string | undefined {
  return new RegExp(`<${name}>([A-Za-z0-9-]{1,64})</${name}>`).exec(document)?.[1];
}
