import type { TransportResponse } from "../transport/transport.ts";

export interface RestRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Absolute path: `/api/v1/namespaces/a/secrets`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A watch: no deadline, not counted as in flight. */
  readonly streaming?: boolean | undefined;
  /** See TransportRequest; runs before each try. */
  readonly beforeWrite?: (() => void) | undefined;
  /** Sends `accept-encoding: gzip` and decompresses. */
  readonly gzip?: boolean | undefined;
  /** What is done to what, for errors: `list storagebuckets`. Default: method and path. */
  readonly doing?: string | undefined;
}

/**
 * Requests to one API server: credentials, 401 with one reload and one retry, 429 and 503 with Retry-After obeyed, warnings
 * logged once each, refusals as StatusError.
 */
export interface RestClient extends AsyncDisposable {
  /** The answer when its status is 2xx. @throws StatusError, TransportError, or the signal's reason. */
  request(request: RestRequest): Promise<TransportResponse>;
  /** The same, with the body read to its end and parsed. */
  json<T>(request: RestRequest): Promise<T>;
}
