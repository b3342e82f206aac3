import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { createCertificateAuthority, type IssuedCertificate } from "@farwatch/apiserver/access";
import { type Duration, systemClock } from "farwatch";
import {
  breakOff,
  connectionOf,
  cutConnection,
  isHttp2Request,
  type ProxyRequest,
  type ProxyResponse,
  readBody,
  writeHead,
} from "./exchange.ts";
import { createForwarder } from "./forwarder.ts";
import {
  type Interception,
  matchesRequest,
  type ProxyAction,
  type ProxyMatcher,
  type RecordedRequest,
  statusBody,
} from "./interception.ts";
import { startTcpRelay } from "./tcp-relay.ts";

export interface RecordingProxyOptions {
  /** What stands behind it, such as a KubeApiserver: its base URL, and for https the PEM of its authority. */
  readonly target: { readonly url: string; readonly ca?: string };
  /**
   * The certificate to serve with and the authority that signed it. Default: for an https target new ones for 127.0.0.1
   * and localhost; an http target is served by http.
   */
  readonly tls?: IssuedCertificate & { readonly ca: string };
  /** false: HTTP/1.1 alone is offered over TLS; default true. */
  readonly http2?: boolean;
}

/**
 * Stands before an HTTP server, speaks HTTP/2 and HTTP/1.1 to clients and HTTP/1.1 to the server, records every
 * request, and breaks what a test asks it to break. Faults of single requests: `intercept`; faults of the network: the
 * other verbs.
 */
export interface RecordingProxy extends AsyncDisposable {
  /** `https://127.0.0.1:PORT`, or http. */
  readonly url: string;
  /** PEM of the authority to trust; empty for http. */
  readonly ca: string;
  /** In the order of arrival; a live list. */
  readonly requests: readonly RecordedRequest[];
  /** Client connections open now. */
  readonly connections: number;
  /** Resolves with the first request, recorded before or later, that matches; rejects with the signal's reason. */
  received(matcher: ProxyMatcher, signal?: AbortSignal): Promise<RecordedRequest>;
  /** What happens to requests that match from now on; the newest interception that matches wins. Dispose to end it. */
  intercept(matcher: ProxyMatcher, action: ProxyAction, options?: { readonly times?: number }): Disposable;
  /** Resets every open connection; new ones are served. */
  cut(): void;
  /** Connections stay open and new ones are accepted, but no byte passes in either direction until `resume`. */
  silence(): void;
  /** Resets every open connection and refuses new ones until `resume`. */
  refuse(): Promise<void>;
  /** Ends silence or refusal. */
  resume(): Promise<void>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Starts the proxy on a free port of 127.0.0.1. Disposal resets every connection. */
export async function startRecordingProxy(options: RecordingProxyOptions): Promise<RecordingProxy> {
  await using undo = new AsyncDisposableStack();
  const tls = options.tls ?? (options.target.url.startsWith("https:") ? await makeCertificate() : undefined);
  const forwarder = undo.use(createForwarder(options.target));
  const requests: RecordedRequest[] = [];
  const interceptions: Interception[] = [];
  const waiting = new Set<(request: RecordedRequest, authorization: string | undefined) => void>();
  const authorizations = new WeakMap<RecordedRequest, string>();
  const numbers = new WeakMap<object, number>();
  const closing = new AbortController();
  let connections = 0;
  const numberOf = (connection: object): number => {
    const known = numbers.get(connection);
    if (known !== undefined) return known;
    connections += 1;
    numbers.set(connection, connections);
    return connections;
  };

  const handle = async (request: ProxyRequest, response: ProxyResponse): Promise<void> => {
    const recorded = record(request, numberOf(connectionOf(request)));
    requests.push(recorded);
    response.once("close", () => {
      if (recorded.outcome === "open") recorded.outcome = "broken";
    });
    const { authorization } = request.headers;
    if (authorization !== undefined) authorizations.set(recorded, authorization);
    const body = await readBody(request);
    recorded.body = body.toString("utf8");
    for (const tell of waiting) tell(recorded, authorization);

    const interception = interceptions.find(
      ({ matcher, left }) => left > 0 && matchesRequest(matcher, recorded, authorization),
    );
    if (interception !== undefined) {
      interception.left -= 1;
      const { action } = interception;
      switch (action.type) {
        case "ignore":
          return;
        case "cut":
          cutConnection(request);
          return;
        case "answer":
          recorded.status = action.status;
          recorded.outcome = "answered";
          writeHead(response, action.status, { "content-type": "application/json", ...action.headers });
          response.end(action.body ?? statusBody(action.status));
          return;
        case "hold":
          await heldUntil(action.until, closing.signal);
      }
    }
    const whole = await forwarder.forward(request, body, response, (status) => {
      recorded.status = status;
    });
    if (whole) recorded.outcome = "answered";
    else breakOff(response);
  };

  const onRequest = (request: ProxyRequest, response: ProxyResponse): void => {
    // What fails here is a socket that has gone, or our own end: the client sees a broken exchange either way.
    handle(request, response).catch(() => breakOff(response));
  };
  const server = tls === undefined ? createServer(onRequest) : createTlsServer(tls, options.http2 ?? true, onRequest);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, resolve);
  });
  undo.defer(async () => {
    closing.abort();
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const relay = undo.use(await startTcpRelay({ targetPort: (server.address() as AddressInfo).port }));

  const owned = undo.move();
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${relay.port}`,
    ca: tls?.ca ?? "",
    requests,
    get connections() {
      return relay.connections;
    },
    received(matcher, signal): Promise<RecordedRequest> {
      const found = requests.find((request) => matchesRequest(matcher, request, authorizations.get(request)));
      if (found !== undefined) return Promise.resolve(found);
      return new Promise((resolve, reject) => {
        const tell = (request: RecordedRequest, authorization: string | undefined): void => {
          if (!matchesRequest(matcher, request, authorization)) return;
          stop();
          resolve(request);
        };
        const onAbort = (): void => {
          stop();
          reject(signal?.reason);
        };
        const stop = (): void => {
          waiting.delete(tell);
          signal?.removeEventListener("abort", onAbort);
        };
        waiting.add(tell);
        signal?.addEventListener("abort", onAbort, { once: true });
        if (signal?.aborted) onAbort();
      });
    },
    intercept(matcher, action, { times = Number.POSITIVE_INFINITY } = {}): Disposable {
      const interception: Interception = { matcher, action, left: times };
      interceptions.unshift(interception);
      return {
        [Symbol.dispose]() {
          const index = interceptions.indexOf(interception);
          if (index >= 0) interceptions.splice(index, 1);
        },
      };
    },
    cut: () => relay.cut(),
    silence: () => relay.silence(),
    refuse: () => relay.refuse(),
    resume: () => relay.resume(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function createTlsServer(
  { cert, key }: IssuedCertificate,
  http2: boolean,
  onRequest: (request: ProxyRequest, response: ProxyResponse) => void,
): Server {
  if (http2) return createSecureServer({ cert, key, allowHTTP1: true }, onRequest);
  return createHttpsServer({ cert, key }, onRequest);
}

async function makeCertificate(): Promise<IssuedCertificate & { readonly ca: string }> {
  const authority = await createCertificateAuthority("farwatch test proxy");
  const issued = await authority.issue({ commonName: "proxy", hosts: ["127.0.0.1", "localhost"], usage: "server" });
  return { ...issued, ca: authority.cert };
}

function record(request: ProxyRequest, connection: number): Mutable<RecordedRequest> {
  const at = systemClock.elapsed();
  const url = new URL(request.url ?? "/", "http://proxy");
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith(":") || name === "authorization" || value === undefined) continue;
    headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers,
    at,
    protocol: isHttp2Request(request) ? "h2" : "http/1.1",
    connection,
    body: "",
    status: undefined,
    outcome: "open",
  };
}

/** Also over when the proxy closes. */
async function heldUntil(until: Duration | Promise<unknown>, closed: AbortSignal): Promise<void> {
  if (!(until instanceof Promise)) return await systemClock.sleep(until, closed);
  await new Promise((resolve, reject) => {
    closed.addEventListener("abort", () => reject(closed.reason), { once: true });
    until.then(resolve, reject);
  });
}
