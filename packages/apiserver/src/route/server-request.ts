import type { ClientCertificate } from "../authorize/authenticate.ts";

/** A request as it reaches the server, on a socket or in process. */
export interface ServerRequest {
  readonly method: string;
  /** Path and query: `/api/v1/pods?limit=5`. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array | undefined;
  /** The client certificate that TLS has checked. */
  readonly certificate?: ClientCertificate | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** An answer: of a watch the body comes as events happen, until the server or the signal ends it. */
export interface ServerResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
}

export type Handler = (request: ServerRequest) => Promise<ServerResponse>;
