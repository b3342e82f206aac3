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
  /** A watch: no deadline, not counted as in flight, no second try after a lost connection. */
  readonly streaming?: boolean | undefined;
  /** See TransportRequest; runs before each try. */
  readonly beforeWrite?: (() => void) | undefined;
  /** Sends `accept-encoding: gzip` and decompresses. */
  readonly gzip?: boolean | undefined;
  /** What is done to what, for errors: `list storagebuckets`. Default: read from method and path. */
  readonly doing?: string | undefined;
  /**
   * Doing it twice comes to the same as doing it once, so that it is sent again after a 503 with Retry-After. Default:
   * true for GET, false for the rest.
   */
  readonly repeatable?: boolean | undefined;
  /**
   * A longer body, after decompression, is a `ProtocolError`. Default: 512 MiB for GET, which may be a list, else 16
   * MiB; none for streaming.
   */
  readonly maxBodyBytes?: number | undefined;
}

/**
 * Requests to one API server: credentials, 401 with one reload and one retry, 429 and 503 with Retry-After obeyed,
 * warnings logged once each, refusals as StatusError. A request that has not ended after the deadline (30 s), tries and
 * waits included, rejects with `Timeout`; a Retry-After beyond the deadline is not waited for, and stands in
 * `retryAfterMs`.
 */
export interface RestClient extends AsyncDisposable {
  /** The answer when its status is 2xx. @throws StatusError, TransportError, or the signal's reason. */
  request(request: RestRequest): Promise<TransportResponse>;
  /** The same, with the body read to its end and parsed. @throws CodedError `ProtocolError` when it is no JSON. */
  json<T>(request: RestRequest): Promise<T>;
}
