import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../clock/clock.ts";
import type { Connection, ConnectionOwner } from "./connection.ts";
import type { Dialed } from "./dial.ts";
import type { ConnectionFacts, Exchange } from "./exchange.ts";
import { connectionCut, headersTooLarge, systemCodeOf } from "./failure.ts";
import { nodeHttp } from "./node-http.ts";
import type { ProxyEndpoint } from "./route.ts";

/**
 * A server that says how long it keeps an idle connection is taken at its word, less the time a request may be under
 * way to it.
 */
const keepAliveMarginMs = 1_000;

export interface Http1Options {
  readonly dialed: Dialed;
  /** Set for http targets behind a proxy, which are asked for by their absolute URL (RFC 9112 §3.2.2). */
  readonly forwardedBy: ProxyEndpoint | undefined;
  readonly clock: Clock;
  readonly owner: ConnectionOwner;
}

/** HTTP/1.1 over one socket, kept between requests. Node's own parser and framing do the work. */
export class Http1Connection implements Connection {
  readonly #options: Http1Options;
  readonly #socket: Socket;
  #facts: ConnectionFacts;
  #current: Exchange | undefined;
  #idleTimer: Disposable | undefined;
  #reason: Error | undefined;

  constructor(options: Http1Options) {
    const { socket, setUp, peerCertificate } = options.dialed;
    this.#options = options;
    this.#socket = socket;
    this.#facts = { setUp, peerCertificate };
    socket.on("error", () => {}); // Node tells the request under way; an idle socket only closes.
    socket.once("close", () => {
      this.#idleTimer?.[Symbol.dispose]();
      options.owner.onClosed(this);
    });
  }

  get free(): number {
    return this.#current === undefined && !this.closing ? 1 : 0;
  }

  get closing(): boolean {
    return !this.#socket.writable || this.#socket.readableEnded;
  }

  destroy(reason?: Error): void {
    this.#reason = reason;
    this.#current?.fail(reason ?? connectionCut("the connection was closed"));
    this.#socket.destroy();
  }

  run(exchange: Exchange): void {
    this.#current = exchange;
    this.#idleTimer?.[Symbol.dispose]();
    this.#socket.off("data", this.#onUnasked);
    this.#socket.ref();
    const request = this.#open(exchange);
    exchange.stopWith(() => request.destroy());

    let answered: IncomingMessage | undefined;
    let handedBack = false;
    const failed = (error: Error): void => {
      if (!handedBack) exchange.fail(this.#reason ?? error);
    };
    // Fires when Node has tied request and socket together: what is written from here on goes out in this tick.
    request.once("socket", () => {
      if (exchange.settled) {
        request.destroy();
      } else if (this.closing) {
        handedBack = true;
        request.destroy();
        this.#options.owner.onUnsent(exchange, connectionCut("the connection was closed while it was idle"));
      } else if (exchange.beginWrite()) {
        request.end(exchange.request.body);
      } else {
        request.destroy();
      }
    });
    request.once("response", (response) => {
      answered = response;
      this.#receive(exchange, request, response);
    });
    request.on("error", (error) => {
      const overflow = systemCodeOf(error) === "HPE_HEADER_OVERFLOW";
      failed(overflow ? headersTooLarge(exchange.target.name, exchange.maxHeaderBytes) : error);
    });
    request.once("close", () => {
      this.#current = undefined;
      if (!exchange.settled) failed(connectionCut("the connection was closed before the answer was complete"));
      if (!this.closing && answered?.complete && exchange.keepAliveMs > 0) {
        this.rest(this.#idleMs(exchange, answered));
        this.#options.owner.onFree(this);
      } else {
        this.#socket.destroy();
      }
    });
  }

  #open(exchange: Exchange): ClientRequest {
    const { method, headers, body } = exchange.request;
    const { authority, path } = exchange.target;
    const { forwardedBy } = this.#options;
    const sent: OutgoingHttpHeaders = { host: authority, ...(headers as OutgoingHttpHeaders | undefined) };
    sent.connection = exchange.keepAliveMs > 0 ? "keep-alive" : "close";
    if (forwardedBy?.authorization !== undefined) sent["proxy-authorization"] = forwardedBy.authorization;
    if (body !== undefined) sent["content-length"] = String(Buffer.byteLength(body));
    const request = nodeHttp.request({
      createConnection: () => this.#socket,
      method,
      path: forwardedBy === undefined ? path : `http://${authority}${path}`,
      headers: sent,
      setHost: false,
      maxHeaderSize: exchange.maxHeaderBytes,
      joinDuplicateHeaders: true,
    });
    request.maxHeadersCount = 0; // The bytes are the limit; beyond a count, Node would drop headers in silence.
    return request;
  }

  #receive(exchange: Exchange, request: ClientRequest, response: IncomingMessage): void {
    if (exchange.settled) return;
    const source = {
      pause: () => response.pause(),
      resume: () => response.resume(),
      cancel: () => request.destroy(),
    };
    const body = exchange.answer(response.statusCode ?? 0, joined(response), source, this.#facts);
    this.#facts = { ...this.#facts, setUp: undefined };
    response.on("data", (chunk: Uint8Array) => body.push(chunk));
    response.once("end", () => {
      if (response.complete) body.end();
    });
    response.on("error", (error) => exchange.fail(this.#reason ?? error));
  }

  /** How long it may lie idle: as the request said, and no longer than the server waits. */
  #idleMs(exchange: Exchange, response: IncomingMessage): number {
    const hint = /timeout=(\d+)/i.exec(String(response.headers["keep-alive"]))?.[1];
    return hint === undefined
      ? exchange.keepAliveMs
      : Math.min(exchange.keepAliveMs, Number(hint) * 1_000 - keepAliveMarginMs);
  }

  rest(idleMs: number): void {
    if (this.#current !== undefined) return;
    if (idleMs <= 0) {
      this.#socket.destroy();
      return;
    }
    this.#socket.on("data", this.#onUnasked);
    this.#socket.resume();
    this.#socket.unref();
    this.#idleTimer = this.#options.clock.schedule(idleMs, () => this.#socket.destroy(), { unref: true });
  }

  /** Bytes that nobody asked for would be read as the next answer. */
  readonly #onUnasked = (): void => {
    this.#socket.destroy();
  };
}

function joined({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  // With joinDuplicateHeaders every header but this one is text already.
  const cookies = headers["set-cookie"];
  const texts = cookies === undefined ? headers : { ...headers, "set-cookie": cookies.join(", ") };
  return texts as Readonly<Record<string, string>>;
}
