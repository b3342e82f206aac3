import { connect, type Socket } from "node:net";
import type { Clock } from "../clock/clock.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import { systemClock } from "../clock/system-clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import { ConnectionPool, type PoolOptions } from "./connection-pool.ts";
import { type Lookup, systemLookup } from "./dial.ts";
import { Exchange } from "./exchange.ts";
import { nodeHttp } from "./node-http.ts";
import { poolKeyOf, routeOf, targetOf } from "./route.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

export interface HttpTransportOptions {
  /** Measures, closes idle connections, and is told of every wait for a socket; default: the system's. */
  readonly clock?: Clock | undefined;
  /** Resolves host names; default: the machine's resolver. Lookups of one name at one time share an answer. */
  readonly lookup?: Lookup | undefined;
  /**
   * Connections to one origin (with one proxy, policy and TLS material) at the most; further requests wait. Default
   * 256.
   */
  readonly maxConnections?: number | undefined;
  /** A connection that is not ready by then has failed, whatever the request's own deadline; default 30 s. */
  readonly connectTimeout?: Duration | undefined;
  /** An HTTP/2 session with open streams is asked this often whether it is alive; default 30 s. */
  readonly pingEvery?: Duration | undefined;
  /** A session that does not answer a ping in time is closed, and its requests fail; default 15 s. */
  readonly pingTimeout?: Duration | undefined;
}

/**
 * The Transport on real sockets: HTTP/2 over TLS where the server offers it, else HTTP/1.1; connections are pooled.
 *
 * Nothing is retried, redirected or decompressed, with one exception: a request of which the server certainly saw
 * nothing (its pooled connection had been closed, the HTTP/2 session refused the stream) is begun again on another
 * connection, up to three times; `beforeWrite` is asked each time.
 *
 * Connections are shared by requests with the same origin, proxy, protocol, TLS material (by content) and policy (the
 * same function). New TLS material therefore means new connections, while those of the old finish what they carry and
 * are closed once they have been idle for `keepAlive`.
 *
 * Behind a proxy the policy is asked about the proxy's address, since that is what is connected to, and about the
 * target when that is an address; a target's name is resolved by the proxy, whose own rules then hold.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`.
 *
 * Disposal fails what is under way, cuts every connection, and resolves when all sockets are closed.
 */
export function createHttpTransport(options: HttpTransportOptions = {}): Transport {
  const clock = options.clock ?? systemClock;
  const maxConnections = options.maxConnections ?? 256;
  if (!Number.isInteger(maxConnections) || maxConnections < 1) {
    throw new CodedError(
      "InvalidOption",
      `Cannot create a transport: maxConnections is ${maxConnections}, give a whole number above 0`,
    );
  }
  const sockets = new Set<Socket>();
  const pools = new Map<string, ConnectionPool>();
  const poolOptions: PoolOptions = {
    clock,
    dialer: {
      clock,
      lookup: sharingLookup(options.lookup ?? systemLookup),
      open(ip, port): Socket {
        const socket = connect({
          host: ip,
          port,
          noDelay: true,
          keepAlive: true,
          keepAliveInitialDelay: tcpKeepAliveMs,
        });
        sockets.add(socket);
        socket.on("error", () => {}); // Whoever uses the socket listens; one that nobody uses any more only closes.
        socket.once("close", () => sockets.delete(socket));
        return socket;
      },
    },
    maxConnections,
    connectTimeoutMs: toMs(options.connectTimeout ?? "30s"),
    pingEveryMs: toMs(options.pingEvery ?? "30s"),
    pingTimeoutMs: toMs(options.pingTimeout ?? "15s"),
  };
  const closedError = new Error("the transport was closed");
  let inFlight = 0;
  let disposed = false;

  const submit = (exchange: Exchange): void => {
    if (disposed) {
      exchange.fail(closedError);
      return;
    }
    const { request, target } = exchange;
    const key = poolKeyOf(request, target);
    let pool = pools.get(key);
    if (pool === undefined) {
      pool = new ConnectionPool(routeOf(request, target), poolOptions, {
        onEmpty(empty): void {
          if (pools.get(key) === empty) pools.delete(key);
        },
        onAgain: submit,
      });
      pools.set(key, pool);
    }
    exchange.via = pool.proxyName;
    pool.submit(exchange);
  };

  const start = (
    request: TransportRequest,
    resolve: (response: TransportResponse) => void,
    reject: (reason: unknown) => void,
  ): void => {
    request.signal?.throwIfAborted();
    const target = targetOf(request.url);
    validate(request, target.name);
    const onLanded = (): void => {
      inFlight -= 1;
    };
    const exchange = new Exchange({ clock, request, target, resolve, reject, onLanded });
    inFlight += 1;
    try {
      submit(exchange);
    } catch (error) {
      exchange.reject(error);
    }
  };

  return {
    get inFlight() {
      return inFlight;
    },
    request(request): Promise<TransportResponse> {
      // A throw in an executor is a rejection.
      return clock.outside(new Promise((resolve, reject) => start(request, resolve, reject)));
    },
    async [Symbol.asyncDispose](): Promise<void> {
      disposed = true;
      for (const pool of pools.values()) pool.dispose(closedError);
      await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
    },
  };
}

const tcpKeepAliveMs = 30_000;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function validate({ method, headers = {} }: TransportRequest, name: string): void {
  try {
    if (!token.test(method)) throw new Error(`${JSON.stringify(method)} is no method`);
    for (const header of Object.keys(headers)) {
      const value = headers[header] ?? "";
      nodeHttp.validateHeaderName(header);
      if (typeof value === "string") nodeHttp.validateHeaderValue(header, value);
      else for (const line of value) nodeHttp.validateHeaderValue(header, line);
    }
  } catch (cause) {
    throw new CodedError("InvalidOption", `Cannot send a request to ${name}: ${messageOf(cause)}`);
  }
}

/** getaddrinfo occupies a thread of four while it waits: many requests to one host take one. */
function sharingLookup(lookup: Lookup): Lookup {
  const pending = new Map<string, Promise<readonly string[]>>();
  return (host) => {
    const known = pending.get(host);
    if (known !== undefined) return known;
    const looking = lookup(host).finally(() => pending.delete(host));
    pending.set(host, looking);
    return looking;
  };
}
