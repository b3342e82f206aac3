import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../clock/clock.ts";
import { toMs } from "../clock/duration.ts";
import { isCodedError } from "../error/coded-error.ts";
import { checkWholeNumbers } from "../error/whole-numbers.ts";
import { abortable } from "../flow/abortable.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { pacedLogger } from "../observe/paced-logger.ts";
import { listen } from "../transport/listen.ts";
import { type Connection, createConnections, owedTo } from "./connections.ts";
import { answerAt, type IngressRouter, type ReservedPlace, unknownPath } from "./create-ingress.ts";
import type { IngressAnswer } from "./ingress.ts";
import { createListener } from "./ingress-listener.ts";
import { createIngressMetrics } from "./ingress-metrics.ts";
import type { IngressOptions } from "./ingress-options.ts";
import { sliceInput } from "./sliced-input.ts";
import { lingerMs, sendAnswer } from "./socket-answer.ts";
import { createHeldBytes, createIngressRequest, type Target, targetOf } from "./socket-request.ts";
import { tryAgain } from "./try-again.ts";

export interface IngressServerOptions extends IngressOptions {
  readonly router: Pick<IngressRouter, "find">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Brings requests from sockets to the routes of sources, within limits that hold before any of them is asked. */
export interface IngressServer extends AsyncDisposable {
  readonly address: { readonly host: string; readonly port: number };
}

/** What was answered may take so long to leave when the server is stopped. */
const flushMs = 1_000;
/**
 * Requests of a connection whose answers it has not got: a single read of a socket can bring thousands, of some
 * kilobytes each.
 */
const mostPipelined = 16;
const defaultBodyBytes = 1024 * 1024;

/**
 * Listens. Order of a request: limits of connections, headers and time; path; coding and size; method; then its source,
 * which authenticates before it reads.
 *
 * @throws CodedError `InvalidOption` when the address cannot be listened on, or options or TLS material make no server;
 * `InvalidDuration`.
 */
export async function startIngressServer(options: IngressServerOptions): Promise<IngressServer> {
  const { router, clock, maxConnections = 256, maxRequests = 256 } = options;
  const { maxHeldBytes = 64 * 1024 * 1024, maxHeaderBytes = 16 * 1024 } = options;
  checkWholeNumbers("serve the ingress", { maxConnections, maxRequests, maxHeldBytes, maxHeaderBytes });
  // Anybody may send what fails.
  const log = pacedLogger(options.log, clock);
  const logs = new WeakMap<ReservedPlace, Logger>();
  const metrics = createIngressMetrics(options.metrics);
  const answerTimeoutMs = toMs(options.answerTimeout ?? "10s");
  const held = createHeldBytes(maxHeldBytes, metrics.heldBytes);
  /** Until their senders have the answers. */
  const underWay = new Set<Promise<void>>();
  /** Connections that are told no more: what comes on them belongs to a request that was answered already. */
  const answered = new WeakSet<Duplex>();
  /** Those whose senders wait with the body until somebody wants it, or has refused it (RFC 9110, 10.1.1). */
  const expecting = new WeakSet<IncomingMessage>();
  /** Those that a route has and has not answered. */
  let asking = 0;

  const logOf = (place: ReservedPlace): Logger => {
    const known = logs.get(place) ?? log.child({ source: place.source });
    logs.set(place, known);
    return known;
  };

  const answerTo = async (
    request: IncomingMessage,
    response: ServerResponse,
    { target, place, closed }: { readonly target: Target; readonly place: ReservedPlace; readonly closed: AbortSignal },
  ): Promise<IngressAnswer | undefined> => {
    const { maxBodyBytes = defaultBodyBytes } = place.route;
    const coding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
    // Bombs are small until they are unpacked; no sender that we know packs.
    if (coding !== "identity")
      return {
        status: 415,
        headers: { "accept-encoding": "identity" },
        body: "send the body without Content-Encoding",
      };
    const tooLarge = { status: 413, body: `the body may have ${maxBodyBytes} bytes at the most` };
    if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) return tooLarge;
    if (asking >= maxRequests) return tryAgain(503, 1_000);
    using deadline = clock.timeout(answerTimeoutMs, closed);
    const onRead = expecting.has(request) ? (): void => response.writeContinue() : undefined;
    using asked = createIngressRequest(request, { ...target, maxBodyBytes, held, onRead, clock, signal: deadline });
    asking += 1;
    try {
      return await abortable(answerAt(place, asked), deadline);
    } catch (error) {
      if (closed.aborted || request.errored !== null) return undefined;
      if (isCodedError(error, "BodyTooLarge")) return tooLarge;
      if (isCodedError(error, "IngressFull") || deadline.aborted) return tryAgain(503);
      logOf(place).error("Cannot answer a request", { error });
      return { status: 500 };
    } finally {
      asking -= 1;
    }
  };

  const handle = async (request: IncomingMessage, response: ServerResponse, { closed }: Connection): Promise<void> => {
    const startedMs = clock.elapsed();
    const target = targetOf(request);
    const place = typeof target === "object" ? router.find(target.path) : undefined;
    const answer =
      typeof target === "number"
        ? { status: target, headers: { connection: "close" } }
        : place === undefined
          ? unknownPath
          : await answerTo(request, response, { target, place, closed });
    metrics.answered(place?.source, String(answer?.status ?? "gone"), clock.elapsed() - startedMs);
    if (answer === undefined) response.destroy();
    else await sendAnswer(answer, { request, response, clock, closed, onUnread: () => answered.add(request.socket) });
  };

  const requestTimeoutMs = toMs(options.requestTimeout ?? "10s");
  const server = await createListener(options, {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: toMs(options.headersTimeout ?? "5s"),
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: 500,
    keepAliveTimeout: 5_000,
    // A list of values must not look like the first of them.
    joinDuplicateHeaders: true,
    insecureHTTPParser: false,
  });
  // Nothing moves: its sender does not read the answer.
  server.timeout = requestTimeoutMs + answerTimeoutMs;
  // Their bytes are bounded; beyond a number they would be left out as if they had not come.
  server.maxHeadersCount = 0;
  const connections = createConnections(maxConnections, metrics.connections);
  server.on("request", (request, response) => {
    const { socket } = request;
    const connection = connections.of(socket);
    // What was read together with the request for which it was cut off.
    if (socket.destroyed || connection === undefined) return;
    if (connection.asked >= mostPipelined) {
      metrics.connectionRefused();
      socket.destroy();
      return;
    }
    connection.asked += 1;
    connection.newest = request;
    const answering = handle(request, response, connection)
      .catch((error: unknown) => {
        log.error("Cannot answer a request", { error });
        response.destroy();
      })
      .finally(() => {
        connection.asked -= 1;
        if (connection.isLost && owedTo(connection) <= 0) socket.destroySoon();
        underWay.delete(answering);
      });
    underWay.add(answering);
  });
  server.on("checkContinue", (request, response) => {
    expecting.add(request);
    server.emit("request", request, response);
  });
  server.on(options.tls === undefined ? "connection" : "secureConnection", sliceInput);
  server.on("connection", (socket) => {
    socket.on("error", () => {}); // Whoever reads it is told by its close.
    const connection = connections.add(socket);
    // Those that ask nothing more.
    if (connections.size > maxConnections) server.closeIdleConnections();
    const surplus = connections.surplus(connection);
    if (surplus === undefined) return;
    metrics.connectionRefused();
    surplus.socket.destroy();
  });
  // Faults of TLS come here too: on a socket whose handshake failed nothing can be said, and its end would wait for
  // ever.
  server.on("clientError", (error: Error & { readonly code?: string }, stream) => {
    // Every connection is one: nothing else is given to this server.
    const socket = stream as Socket;
    // Not for who has gone, or was closed on before its TLS stood.
    if (error.code !== "ECONNRESET") metrics.connectionRefused();
    const status = statusOfFault(error.code ?? "");
    const connection = connections.of(socket);
    if (status === undefined || !socket.writable) {
      socket.destroy();
      return;
    }
    if (answered.has(socket)) {
      socket.destroySoon();
      return;
    }
    if (connection !== undefined && owedTo(connection) > 0) {
      // Its sender would take what is said now for the answer to a request before.
      connection.isLost = true;
      socket.pause();
      return;
    }
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    const timer = clock.schedule(lingerMs, () => socket.destroy(), { unref: true });
    socket.once("close", () => timer[Symbol.dispose]());
  });
  const { host = "0.0.0.0", port } = options;
  const address = await listen(server, { host, port, serves: "the ingress", option: "ingress" });
  server.on("error", (error) => log.error("Cannot accept a connection", { error }));

  return {
    address,
    async [Symbol.asyncDispose](): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const flush = clock.schedule(flushMs, () => server.closeAllConnections());
      await Promise.all(underWay);
      flush[Symbol.dispose]();
      for (const { socket } of connections) socket.destroy();
      await closed;
    },
  };
}

/** What is answered to bytes that are no request; undefined for what went wrong below HTTP. */
function statusOfFault(code: string): string | undefined {
  if (code === "HPE_HEADER_OVERFLOW") return "431 Request Header Fields Too Large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "408 Request Timeout";
  return code.startsWith("HPE_") ? "400 Bad Request" : undefined;
}
