import type { Clock } from "../clock/clock.ts";
import { toMs } from "../clock/duration.ts";
import { forgetAbort, onAbort } from "./abort-hub.ts";
import { type FailureContext, transportError } from "./failure.ts";
import { type BodySource, ResponseBody } from "./response-body.ts";
import type { Target } from "./route.ts";
import type { PeerCertificate, TransportRequest, TransportResponse, TransportTimings } from "./transport.ts";

const defaultMaxHeaderBytes = 32 * 1024;
const defaultKeepAliveMs = 60_000;

/** What a connection adds to the answers that come over it. */
export interface ConnectionFacts {
  /** Of setting it up; given with the first answer only. */
  readonly setUp: Omit<TransportTimings, "firstByte"> | undefined;
  readonly peerCertificate: PeerCertificate | undefined;
}

export interface ExchangeOptions {
  readonly clock: Clock;
  readonly request: TransportRequest;
  readonly target: Target;
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (reason: unknown) => void;
  /** Called once, when the exchange does not count as in flight any more. */
  readonly onLanded: () => void;
}

/**
 * One request and its answer, from the queue to the last byte of the body. It settles once, whichever of answer,
 * failure and abort comes first, and what comes later finds it settled and does nothing.
 */
export class Exchange {
  readonly request: TransportRequest;
  readonly target: Target;
  readonly keepAliveMs: number;
  readonly maxHeaderBytes: number;
  /** `host:port` of the proxy on the way, for messages. */
  via: string | undefined;
  /** Connections on which it was begun and turned out unsent. */
  tries = 0;
  readonly #options: ExchangeOptions;
  /** Ends what is under way for it now: its place in the queue, its stream, its socket. */
  #stop: (() => void) | undefined;
  #body: ResponseBody | undefined;
  #settled = false;
  #landed = false;
  #written = false;
  #writtenAtMs = 0;

  constructor(options: ExchangeOptions) {
    const { request } = options;
    this.#options = options;
    this.request = request;
    this.target = options.target;
    this.keepAliveMs = request.keepAlive === undefined ? defaultKeepAliveMs : toMs(request.keepAlive);
    this.maxHeaderBytes = request.maxHeaderBytes ?? defaultMaxHeaderBytes;
    if (request.signal !== undefined) onAbort(request.signal, this.#onAbort);
  }

  /** Answered to the end, failed or aborted. */
  get settled(): boolean {
    return this.#settled;
  }

  get answered(): boolean {
    return this.#body !== undefined;
  }

  /** Says how to end it from now on. */
  stopWith(stop: () => void): void {
    this.#stop = stop;
  }

  /** Call in the tick of the write. False when the request was refused: write nothing. */
  beginWrite(): boolean {
    try {
      this.request.beforeWrite?.();
    } catch (refusal) {
      this.reject(refusal);
      return false;
    }
    this.#written = true;
    this.#writtenAtMs = this.#options.clock.elapsed();
    return true;
  }

  /** What was written is known not to have been looked at. */
  markUnsent(): void {
    this.#written = false;
  }

  /** The headers are there. Gives the body that the source is to fill. */
  answer(
    status: number,
    headers: Readonly<Record<string, string>>,
    source: BodySource,
    facts: ConnectionFacts,
  ): ResponseBody {
    const { clock, request, resolve } = this.#options;
    const body = new ResponseBody({
      clock,
      source,
      signal: request.signal,
      streaming: request.streaming,
      onClosed: () => this.#close(),
    });
    this.#body = body;
    if (request.streaming) this.#land();
    const timings = { ...facts.setUp, firstByte: clock.elapsed() - this.#writtenAtMs };
    resolve({ status, headers, body, timings, peerCertificate: facts.peerCertificate });
    return body;
  }

  /** Ends it with exactly this: the rejection, or what the body throws. */
  reject(reason: unknown): void {
    if (this.#settled) return;
    if (this.#body !== undefined) {
      this.#body.fail(reason);
    } else {
      this.#close();
      this.#options.reject(reason);
    }
  }

  /** Something broke; says so in the words of the phase it was in. */
  fail(cause: unknown, phase?: FailureContext["phase"]): void {
    if (this.#settled) return;
    const { target, request } = this;
    const context: FailureContext = {
      phase: phase ?? (this.#body !== undefined ? "body" : this.#written ? "response" : "request"),
      name: target.name,
      proxy: this.via,
      method: request.method,
      sent: this.#written,
    };
    this.reject(transportError(context, cause));
  }

  readonly #onAbort = (): void => {
    const stop = this.#stop;
    this.reject(this.request.signal?.reason);
    stop?.();
  };

  #close(): void {
    this.#settled = true;
    this.#stop = undefined;
    if (this.request.signal !== undefined) forgetAbort(this.request.signal, this.#onAbort);
    this.#land();
  }

  #land(): void {
    if (this.#landed) return;
    this.#landed = true;
    this.#options.onLanded();
  }
}
