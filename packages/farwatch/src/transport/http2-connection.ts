import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as http2Connect,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { Clock } from "../clock/clock.ts";
import type { Connection, ConnectionOwner } from "./connection.ts";
import type { Dialed } from "./dial.ts";
import type { ConnectionFacts, Exchange } from "./exchange.ts";
import { connectionCut } from "./failure.ts";
import { Http2Stream, type StreamOwner } from "./http2-stream.ts";
import type { Target } from "./route.ts";

/** Large windows, so that one list or watch is not paced by round trips. */
const streamWindowBytes = 4 * 1024 * 1024;
const sessionWindowBytes = 16 * 1024 * 1024;
/** Above any request's own limit, which is checked when the headers are there. */
const maxHeaderListBytes = 1024 * 1024;
/** Node counts what is buffered for slow readers too, and refuses new streams beyond this. */
const maxSessionMemoryMegabytes = 1_024;

export interface Http2Options {
  readonly dialed: Dialed;
  readonly target: Target;
  readonly clock: Clock;
  readonly owner: ConnectionOwner;
  /** While requests are open a ping goes out this often, and must be answered within the timeout. */
  readonly pingEveryMs: number;
  readonly pingTimeoutMs: number;
}

/**
 * Resolves when the server's SETTINGS are there, since they say how many streams it takes. On rejection the socket is
 * destroyed.
 */
export function openHttp2(options: Http2Options, signal: AbortSignal): Promise<Http2Connection> {
  const { dialed, target } = options;
  return new Promise((resolve, reject) => {
    const session = http2Connect(`https://${target.authority}`, {
      createConnection: () => dialed.socket,
      settings: { initialWindowSize: streamWindowBytes, enablePush: false, maxHeaderListSize: maxHeaderListBytes },
      maxHeaderListPairs: maxHeaderListBytes,
      maxSessionMemory: maxSessionMemoryMegabytes,
    });
    const fail = (reason: unknown): void => {
      signal.removeEventListener("abort", onAbort);
      session.off("close", onClose);
      session.destroy();
      dialed.socket.destroy();
      reject(reason);
    };
    const onAbort = (): void => fail(signal.reason);
    const onClose = (): void => fail(connectionCut("the server closed the HTTP/2 session before it had begun"));
    signal.addEventListener("abort", onAbort, { once: true });
    session.once("error", fail);
    session.once("close", onClose);
    session.once("remoteSettings", (settings) => {
      if (settings.maxConcurrentStreams === 0) {
        fail(new Error("the server allows no streams in its HTTP/2 session"));
        return;
      }
      signal.removeEventListener("abort", onAbort);
      session.off("error", fail);
      session.off("close", onClose);
      session.setLocalWindowSize(sessionWindowBytes);
      resolve(new Http2Connection(session, options));
    });
    if (signal.aborted) onAbort();
  });
}

/** HTTP/2 over one socket: many streams, as many as the server allows. */
export class Http2Connection implements Connection, StreamOwner {
  readonly #session: ClientHttp2Session;
  readonly #options: Http2Options;
  #facts: ConnectionFacts;
  /** Streams that are not closed yet. */
  #active = 0;
  #maxStreams: number;
  #idleTimer: Disposable | undefined;
  #pingTimer: Disposable | undefined;
  #pinging = false;
  #reason: Error | undefined;

  constructor(session: ClientHttp2Session, options: Http2Options) {
    const { setUp, peerCertificate } = options.dialed;
    this.#session = session;
    this.#options = options;
    this.#facts = { setUp, peerCertificate };
    this.#maxStreams = session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
    session.on("remoteSettings", (settings) => {
      this.#maxStreams = settings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
      if (this.free > 0) options.owner.onFree(this);
    });
    session.on("error", (error: Error) => {
      this.#reason ??= error;
    });
    session.once("close", () => {
      this.#idleTimer?.[Symbol.dispose]();
      this.#pingTimer?.[Symbol.dispose]();
      options.owner.onClosed(this);
    });
  }

  get free(): number {
    return this.closing ? 0 : Math.max(0, this.#maxStreams - this.#active);
  }

  get closing(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  destroy(reason?: Error): void {
    this.#reason ??= reason;
    this.#session.destroy(reason);
    // A session whose peer is gone would wait for its socket to drain.
    this.#options.dialed.socket.destroy();
  }

  run(exchange: Exchange): void {
    if (!exchange.beginWrite()) return;
    const { body } = exchange.request;
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(headersOf(exchange, body), { endStream: body === undefined });
    } catch (error) {
      exchange.markUnsent();
      this.#options.owner.onUnsent(exchange, error as Error);
      return;
    }
    this.#began();
    new Http2Stream(stream, this).start(exchange);
    if (body !== undefined) stream.end(body);
  }

  get reason(): Error | undefined {
    return this.#reason;
  }

  takeFacts(): ConnectionFacts {
    const facts = this.#facts;
    if (facts.setUp !== undefined) this.#facts = { ...facts, setUp: undefined };
    return facts;
  }

  onStreamClosed(exchange: Exchange, unsent: Error | undefined): void {
    if (unsent !== undefined) {
      exchange.markUnsent();
      this.#options.owner.onUnsent(exchange, unsent);
    }
    this.#ended(exchange.keepAliveMs);
  }

  onSilent(): void {
    // A server that let a deadline pass without a word may be gone altogether.
    this.#ping();
  }

  #began(): void {
    this.#active += 1;
    if (this.#active > 1) return;
    this.#idleTimer?.[Symbol.dispose]();
    this.#session.ref();
    this.#pingTimer ??= this.#options.clock.schedule(this.#options.pingEveryMs, this.#onPingTimer, { unref: true });
  }

  #ended(keepAliveMs: number): void {
    this.#active -= 1;
    this.rest(keepAliveMs);
    if (this.free > 0) this.#options.owner.onFree(this);
  }

  rest(idleMs: number): void {
    if (this.#active > 0 || this.closing) return;
    if (idleMs === 0) {
      this.#session.close();
      return;
    }
    this.#session.unref();
    this.#idleTimer = this.#options.clock.schedule(idleMs, () => this.#session.close(), { unref: true });
  }

  readonly #onPingTimer = (): void => {
    this.#pingTimer = undefined;
    if (this.#active === 0 || this.#session.destroyed) return;
    this.#ping();
    this.#pingTimer = this.#options.clock.schedule(this.#options.pingEveryMs, this.#onPingTimer, { unref: true });
  };

  /** Asks whether anybody is there; without an answer in time the session and everything on it has failed. */
  #ping(): void {
    if (this.#pinging || this.#session.destroyed) return;
    const { clock, pingTimeoutMs } = this.#options;
    this.#pinging = true;
    const timer = clock.schedule(
      pingTimeoutMs,
      () =>
        this.destroy(Object.assign(new Error(`no answer to a ping within ${pingTimeoutMs} ms`), { code: "ETIMEDOUT" })),
      { unref: true },
    );
    const answered = new Promise<void>((resolve) => this.#session.ping(() => resolve()));
    const settle = (): void => {
      timer[Symbol.dispose]();
      this.#pinging = false;
    };
    clock.outside(answered).then(settle, settle);
  }
}

function headersOf({ request, target }: Exchange, body: string | Uint8Array | undefined): OutgoingHttpHeaders {
  const { host, ...headers } = (request.headers ?? {}) as OutgoingHttpHeaders;
  return {
    ":method": request.method,
    ":path": target.path,
    ":authority": host ?? target.authority,
    ":scheme": "https",
    ...headers,
    ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
  };
}
