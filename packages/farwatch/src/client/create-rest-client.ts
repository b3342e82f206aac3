import type { Clock } from "../clock/clock.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import { CodedError } from "../error/coded-error.ts";
import { joinSignals } from "../flow/join-signals.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { plainText } from "../observe/plain-text.ts";
import type { Transport, TransportResponse } from "../transport/transport.ts";
import type { Status } from "../wire/object.ts";
import { type ApiCall, describeCall, readApiCall } from "./api-path.ts";
import type { ClusterConfig, Credential } from "./cluster-config.ts";
import { gunzip, readStart, readText } from "./response-body.ts";
import type { RestClient, RestRequest } from "./rest-client.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { retryPolicy } from "./retry-policy.ts";
import { StatusError, statusError } from "./status-error.ts";
import { parseWarnings } from "./warning-header.ts";

export interface RestClientOptions {
  /** Asked at the first request, and again after it failed. */
  readonly config: (signal?: AbortSignal) => Promise<ClusterConfig>;
  /** Not disposed of: it belongs to whoever made it. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  /** Default: nothing is counted. */
  readonly metrics?: Metrics | undefined;
  /** Default `farwatch`. */
  readonly userAgent?: string | undefined;
  /** How long a request may take, tries and waits included; default 30 s. */
  readonly deadline?: Duration | undefined;
}

const listBytes = 512 * 1024 * 1024;
const objectBytes = 16 * 1024 * 1024;
/** Enough for the Status of the largest object; what is longer is no Status. */
const refusalBytes = 1024 * 1024;
/** Warnings that are remembered as logged; beyond it all are forgotten, so that a server cannot fill the memory. */
const mostWarnings = 1_000;

export function createRestClient(options: RestClientOptions): RestClient {
  const { transport, clock, log, userAgent = "farwatch" } = options;
  const deadlineMs = toMs(options.deadline ?? "30s");
  const policy = retryPolicy(clock.random);
  const warned = new Set<string>();
  const closed = new AbortController();
  const requests = options.metrics?.counter({
    name: "rest_client_requests_total",
    help: "Answers of the API server, by status code, method and host; code <error> for none.",
    labelNames: ["code", "method", "host"],
  });
  let config: ClusterConfig | undefined;
  /** Of the server. */
  let host = "";
  const count = (code: string, method: string): void => requests?.add({ code, method, host });

  const warn = (response: TransportResponse, request: RestRequest): void => {
    const header = response.headers.warning;
    if (header === undefined) return;
    for (const warning of parseWarnings(header).map(plainText)) {
      if (warned.has(warning)) continue;
      if (warned.size >= mostWarnings) warned.clear();
      warned.add(warning);
      log.warn("API server warns", { warning, request: doingOf(request) });
    }
  };

  /** One try: the answer when it is 2xx, a StatusError when it is not. */
  const attempt = async (
    request: RestRequest,
    to: { readonly url: string; readonly proxy: string | undefined; readonly body: string | undefined },
    credential: Credential,
    signal: AbortSignal | undefined,
  ): Promise<TransportResponse> => {
    const response = await transport.request({
      method: request.method,
      url: to.url,
      headers: headersOf(request, credential, userAgent),
      body: to.body,
      signal,
      tls: credential.tls,
      proxy: to.proxy,
      streaming: request.streaming,
      beforeWrite: request.beforeWrite,
    });
    warn(response, request);
    if (response.status >= 200 && response.status < 300) return response;
    throw await refusalOf(request, response, clock);
  };

  /** Tries until there is an answer, or an error that another try would not mend before the deadline. */
  const send = async (request: RestRequest, signal: AbortSignal | undefined): Promise<TransportResponse> => {
    const startedMs = clock.elapsed();
    closed.signal.throwIfAborted();
    if (config === undefined) {
      config = await options.config(signal);
      host = new URL(config.server).host;
    }
    const { server, proxy, credentials } = config;
    const to = {
      url: server + request.path + queryText(request.query),
      proxy,
      body: request.body === undefined ? undefined : JSON.stringify(request.body),
    };
    let renewed = false;
    for (let tries = 1; ; tries += 1) {
      const credential = await credentials.current(signal);
      try {
        const response = await attempt(request, to, credential, signal);
        count(String(response.status), request.method);
        return response;
      } catch (error) {
        count(error instanceof StatusError ? String(error.httpStatus) : "<error>", request.method);
        signal?.throwIfAborted();
        if (!renewed && isUnauthorized(error)) {
          renewed = true;
          if (await credentials.refused(credential, signal)) continue;
          throw error;
        }
        const delayMs = policy.delayMs(request, error, tries);
        if (delayMs === undefined || clock.elapsed() - startedMs + delayMs >= deadlineMs) throw error;
        log.debug("Request is sent again", { request: doingOf(request), afterMs: delayMs, error });
        using stop = signal === undefined ? undefined : joinSignals(signal, closed.signal);
        await clock.sleep(delayMs, stop ?? closed.signal);
      }
    }
  };

  const body = (request: RestRequest, response: TransportResponse): AsyncIterable<Uint8Array> =>
    decoded(response, {
      clock,
      maxBytes: request.streaming ? Number.POSITIVE_INFINITY : maxBytesOf(request),
      doing: () => doingOf(request),
    });

  /** Names the request in the error of its own deadline; the caller's reasons stay as they are. */
  const named = (error: unknown, request: RestRequest, deadline: AbortSignal): unknown =>
    deadline.aborted && error === deadline.reason && !request.signal?.aborted
      ? new CodedError("Timeout", `Cannot ${doingOf(request)}: no whole answer within ${deadlineMs / 1_000} s`, {
          cause: error,
        })
      : error;

  async function* timed(
    request: RestRequest,
    bytes: AsyncIterable<Uint8Array>,
    deadline: AbortSignal & Disposable,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* bytes;
    } catch (error) {
      throw named(error, request, deadline);
    } finally {
      deadline[Symbol.dispose]();
    }
  }

  return {
    async request(request): Promise<TransportResponse> {
      if (request.streaming) {
        const response = await send(request, request.signal);
        return { ...response, body: body(request, response) };
      }
      const deadline = clock.timeout(deadlineMs, request.signal);
      try {
        const response = await send(request, deadline);
        return { ...response, body: timed(request, body(request, response), deadline) };
      } catch (error) {
        deadline[Symbol.dispose]();
        throw named(error, request, deadline);
      }
    },
    async json<T>(request: RestRequest): Promise<T> {
      const deadline = clock.timeout(deadlineMs, request.signal);
      try {
        const response = await send(request, deadline);
        const text = await readText(body(request, response), maxBytesOf(request), () => doingOf(request));
        return parse(text, response, request) as T;
      } catch (error) {
        throw named(error, request, deadline);
      } finally {
        deadline[Symbol.dispose]();
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      closed.abort(new CodedError("ConnectionFailed", "Cannot send a request: the client has been closed"));
    },
  };
}

function headersOf(
  request: RestRequest,
  credential: Credential,
  userAgent: string,
): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {
    ...credential.headers,
    accept: request.accept ?? "application/json",
    "user-agent": userAgent,
  };
  if (request.body !== undefined) headers["content-type"] = request.contentType ?? "application/json";
  if (request.gzip) headers["accept-encoding"] = "gzip";
  return headers;
}

function queryText(query: RestRequest["query"]): string {
  if (query === undefined) return "";
  let text = "";
  for (const name of Object.keys(query)) {
    const value = query[name];
    if (value !== undefined)
      text += `${text === "" ? "?" : "&"}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  }
  return text;
}

function maxBytesOf(request: RestRequest): number {
  return request.maxBodyBytes ?? (request.method === "GET" ? listBytes : objectBytes);
}

function callOf(request: RestRequest): ApiCall | undefined {
  const { watch } = request.query ?? {};
  return readApiCall(request.method, request.path, watch !== undefined && watch !== "false" && watch !== "0");
}

function doingOf(request: RestRequest): string {
  if (request.doing !== undefined) return request.doing;
  const call = callOf(request);
  return call === undefined ? `${request.method} ${request.path}` : describeCall(call);
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof StatusError && error.httpStatus === 401;
}

/** Decompresses what the server says is gzip, whether it was asked for or not. */
function decoded(
  response: TransportResponse,
  options: { readonly clock: Clock; readonly maxBytes: number; readonly doing: () => string },
): AsyncIterable<Uint8Array> {
  const encoding = response.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") return response.body;
  if (encoding === "gzip") return gunzip(response.body, options);
  return refusedEncoding(response.body, encoding, options.doing);
}

/**
 * Begins to read before it throws: a body that nobody has begun to read cannot be left, and would keep its connection.
 */
function refusedEncoding(
  body: AsyncIterable<Uint8Array>,
  encoding: string,
  doing: () => string,
): AsyncIterable<Uint8Array> {
  const next = async (): Promise<never> => {
    for await (const _ of body) break;
    throw new CodedError(
      "ProtocolError",
      `Cannot ${doing()}: the answer is encoded as ${JSON.stringify(encoding)}, which was not asked for`,
    );
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

async function refusalOf(request: RestRequest, response: TransportResponse, clock: Clock): Promise<StatusError> {
  const bytes = decoded(response, { clock, maxBytes: refusalBytes, doing: () => doingOf(request) });
  const text = await readStart(bytes, refusalBytes);
  const status = statusOf(text);
  return statusError({
    doing: doingOf(request),
    httpStatus: response.status,
    status,
    body: status === undefined ? text : undefined,
    retryAfterMs: parseRetryAfter(response.headers["retry-after"], clock.now()),
    call: callOf(request),
  });
}

function statusOf(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && (value as Status).kind === "Status"
      ? (value as Status)
      : undefined;
  } catch {
    // Not JSON: a proxy's page, or plain text. The caller quotes it as such.
    return undefined;
  }
}

/** The body is not quoted: it may be a Secret's. V8's own message quotes it too, so it is no cause either. */
function parse(text: string, response: TransportResponse, request: RestRequest): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const type = response.headers["content-type"] ?? "no content type";
    const state = text === "" ? "is empty" : `is no whole JSON (${type}, ${text.length} characters)`;
    throw new CodedError(
      "ProtocolError",
      `Cannot ${doingOf(request)}: the answer ${state}; is the server's URL right?`,
    );
  }
}
