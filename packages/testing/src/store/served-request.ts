import type { TransportRequest } from "farwatch";

/** A request as a server reads it. */
export interface ServedRequest {
  readonly method: string;
  readonly secure: boolean;
  /** Of the Host header, with a port where there is one. */
  readonly host: string;
  /** As sent: not decoded. */
  readonly path: string;
  /** As sent, without its question mark. */
  readonly query: string;
  /** Lower-case names; values of a repeated header are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface ServedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: none. An answer to HEAD loses it, and keeps its headers. */
  readonly body?: string | Uint8Array;
  /** The provider's error code, for records. */
  readonly code?: string | undefined;
}

/** What a server reads of a request that a Transport would send. */
export function servedRequest({ method, url, headers = {}, body = "" }: TransportRequest): ServedRequest {
  const { protocol, host, pathname, search } = new URL(url);
  const bytes = Buffer.from(body);
  const sent: Record<string, string> = { host };
  if (bytes.length > 0) sent["content-length"] = String(bytes.length);
  for (const [name, value] of Object.entries(headers)) {
    sent[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
  }
  return {
    method,
    secure: protocol === "https:",
    host: sent.host ?? host,
    path: pathname,
    query: search.slice(1),
    headers: sent,
    body: bytes,
  };
}

/** A part of a path, decoded; as it was sent where its escapes are none. */
export function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
