import type { Clock } from "../clock/clock.ts";
import type { Connection, ConnectionOwner } from "./connection.ts";
import { createDialer, type Dialer, type DialerOptions } from "./dial.ts";
import type { Exchange } from "./exchange.ts";
import { connectionCut, transportError } from "./failure.ts";
import { Http1Connection } from "./http1-connection.ts";
import { openHttp2 } from "./http2-connection.ts";
import type { Route } from "./route.ts";

/** How often a request is begun on another connection after one turned out to be closed. */
const maxTries = 3;

/** What a pool tells the transport. */
export interface PoolOwner {
  /** It has no connections and nobody waits. */
  onEmpty(pool: ConnectionPool): void;
  /** This request has to be begun once more. */
  onAgain(exchange: Exchange): void;
}

export interface PoolOptions {
  readonly clock: Clock;
  readonly dialer: DialerOptions;
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  readonly pingEveryMs: number;
  readonly pingTimeoutMs: number;
}

/**
 * The connections of one route, and the requests that wait for one. Whether the server speaks HTTP/2 is known after the
 * first connection; until then, and with HTTP/2, one connection is opened at a time and everybody waits for it.
 */
export class ConnectionPool implements ConnectionOwner {
  readonly #route: Route;
  readonly #options: PoolOptions;
  readonly #dialer: Dialer;
  readonly #owner: PoolOwner;
  readonly #connections = new Set<Connection>();
  /** Those that had room when they were last seen, the most recently used one last. */
  readonly #ready: Connection[] = [];
  /** In the order of arrival. */
  readonly #waiting = new Set<Exchange>();
  /**
   * Connections that are being opened, each by the request that first wanted it: when that one gives up, a server that
   * hangs must not keep those that came later, so the attempt ends with it. One that was served elsewhere leaves it to
   * others.
   */
  readonly #dialing = new Map<Exchange, AbortController>();
  /** Whether each waiting request wants a connection of its own: HTTP/1.1. */
  #oneForEach: boolean;

  constructor(route: Route, options: PoolOptions, owner: PoolOwner) {
    this.#route = route;
    this.#options = options;
    this.#dialer = createDialer(route, options.dialer);
    this.#owner = owner;
    this.#oneForEach = !route.protocols.includes("h2");
  }

  get proxyName(): string | undefined {
    return this.#route.proxy?.name;
  }

  /** Sends the request on a free connection at once, or when there is one. */
  submit(exchange: Exchange): void {
    const connection = this.#waiting.size === 0 ? this.#takeReady() : undefined;
    if (connection !== undefined) {
      connection.run(exchange);
      return;
    }
    this.#waiting.add(exchange);
    exchange.stopWith(() => {
      this.#waiting.delete(exchange);
      this.#dialing.get(exchange)?.abort();
      this.#dialing.delete(exchange);
      this.#balance();
    });
    this.#balance();
  }

  /** Fails everything under way and waiting. */
  dispose(reason: Error): void {
    for (const exchange of this.#waiting) exchange.fail(reason);
    this.#waiting.clear();
    for (const attempt of this.#dialing.values()) attempt.abort();
    this.#dialing.clear();
    for (const connection of this.#connections) connection.destroy(reason);
  }

  onFree(connection: Connection): void {
    if (!this.#ready.includes(connection)) this.#ready.push(connection);
    if (this.#waiting.size > 0) this.#balance();
  }

  onClosed(connection: Connection): void {
    this.#connections.delete(connection);
    const place = this.#ready.indexOf(connection);
    if (place !== -1) this.#ready.splice(place, 1);
    this.#balance();
  }

  onUnsent(exchange: Exchange, cause: Error): void {
    exchange.tries += 1;
    if (exchange.tries < maxTries) this.#owner.onAgain(exchange);
    else exchange.fail(cause);
  }

  /** The last of those ready, which stays there until it is found full. */
  #takeReady(): Connection | undefined {
    for (;;) {
      const connection = this.#ready.at(-1);
      if (connection === undefined || connection.free > 0) return connection;
      this.#ready.pop();
    }
  }

  /** Hands out what is free, and has as many connections opened as are wanted. */
  #balance(): void {
    for (const exchange of this.#waiting) {
      const connection = this.#takeReady();
      if (connection === undefined) break;
      this.#waiting.delete(exchange);
      connection.run(exchange);
    }
    const room = this.#options.maxConnections - this.#connections.size;
    const wanted = Math.min(this.#waiting.size, room, this.#oneForEach ? room : 1);
    for (const exchange of this.#waiting) {
      if (this.#dialing.size >= wanted) break;
      if (!this.#dialing.has(exchange)) this.#dial(exchange);
    }
    if (this.#connections.size + this.#waiting.size + this.#dialing.size === 0) this.#owner.onEmpty(this);
  }

  #dial(exchange: Exchange): void {
    const attempt = new AbortController();
    const { clock, connectTimeoutMs } = this.#options;
    const timer = clock.schedule(connectTimeoutMs, () => attempt.abort(this.#failed(timedOut(connectTimeoutMs))), {
      unref: true,
    });
    /** False when the attempt was given up: then nobody waits for it. */
    const finish = (): boolean => {
      timer[Symbol.dispose]();
      return this.#dialing.get(exchange) === attempt && this.#dialing.delete(exchange);
    };
    this.#dialing.set(exchange, attempt);
    this.#open(attempt.signal).then(
      (connection) => {
        if (!finish()) {
          connection.destroy();
          return;
        }
        this.#connections.add(connection);
        this.onFree(connection);
        connection.rest(exchange.keepAliveMs);
      },
      (error: unknown) => {
        if (!finish()) return;
        // One session more would have been welcome; those who wait for it get their turn on the ones there are.
        if (!this.#oneForEach && [...this.#connections].some(({ closing }) => !closing)) return;
        for (const failed of this.#oneForEach ? [exchange] : this.#waiting) {
          if (this.#waiting.delete(failed)) failed.reject(error);
        }
        this.#balance();
      },
    );
  }

  #failed(cause: unknown): Error {
    const { target, proxy } = this.#route;
    return transportError({ phase: "connect", name: target.name, proxy: proxy?.name, sent: false }, cause);
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    const { target, proxy } = this.#route;
    const { clock, pingEveryMs, pingTimeoutMs } = this.#options;
    const dialed = await this.#dialer.dial(signal);
    // From here to the listeners of the connection nothing waits: a socket that is open now cannot close unseen.
    if (dialed.socket.destroyed) throw this.#failed(connectionCut("the server closed the connection at once"));
    this.#oneForEach = dialed.protocol === "http/1.1";
    if (this.#oneForEach) {
      return new Http1Connection({ dialed, forwardedBy: target.secure ? undefined : proxy, clock, owner: this });
    }
    try {
      return await openHttp2({ dialed, target, clock, owner: this, pingEveryMs, pingTimeoutMs }, signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : this.#failed(error);
    }
  }
}

function timedOut(ms: number): Error {
  return Object.assign(new Error(`it was not ready after ${ms} ms`), { code: "ETIMEDOUT" });
}
