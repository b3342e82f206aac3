import { type Clock, CodedError, type Transport, type TransportResponse } from "farwatch";
import type { Handler, ServerResponse } from "../route/server-request.ts";

/**
 * A Transport that hands requests straight to the server: no socket, no port, no time. The host of a URL does not
 * matter. Bodies are the server's own bytes; an aborted request rejects with its signal's reason, as on a socket.
 */
export function createInProcessTransport(handler: Handler, clock: Clock): Transport {
  const exchanges = new Set<Exchange>();
  let inFlight = 0;
  let closed = false;
  const closing = new AbortController();

  return {
    get inFlight() {
      return inFlight;
    },
    async request(request): Promise<TransportResponse> {
      if (closed)
        throw new CodedError("ConnectionFailed", `Cannot ask ${request.url}: the server in the process has stopped`);
      request.signal?.throwIfAborted();
      const target = targetOf(request.url);
      request.beforeWrite?.();
      const startMs = clock.elapsed();
      inFlight += 1;
      let flying = true;
      const landed = (): void => {
        if (flying) inFlight -= 1;
        flying = false;
      };
      const exchange = new Exchange(request.signal, () => {
        exchanges.delete(exchange);
        landed();
      });
      exchanges.add(exchange);
      const response = await exchange.wait(
        handler({
          method: request.method,
          target,
          headers: request.headers ?? {},
          body: typeof request.body === "string" ? Buffer.from(request.body) : request.body,
          signal: request.signal ?? closing.signal,
        }),
      );
      if (request.streaming) landed();
      return {
        status: response.status,
        headers: flatHeaders(response.headers),
        body: new InProcessBody(response.body, exchange),
        timings: { firstByte: clock.elapsed() - startMs },
      };
    },
    async [Symbol.asyncDispose](): Promise<void> {
      closed = true;
      const reason = new CodedError("ConnectionFailed", "Cannot go on: the server in the process has stopped");
      closing.abort(reason);
      for (const exchange of exchanges) exchange.fail(reason);
    },
  };
}

/** With characters only that no parser would write in another way. */
const plainUrl = /^https?:\/\/[\w.:-]+(\/[\w/.%:=&?,+~-]*)$/;

/** Path and query. */
function targetOf(url: string): string {
  const plain = url.includes("/.") ? undefined : plainUrl.exec(url)?.[1];
  if (plain !== undefined) return plain;
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

function flatHeaders(headers: ServerResponse["headers"]): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name] ?? "";
    flat[name] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
}

/** One request, until its answer has been read, or it was aborted: whoever waits for a part of it is told of that. */
class Exchange {
  readonly #signal: AbortSignal | undefined;
  readonly #onClosed: () => void;
  #reject: ((reason: unknown) => void) | undefined;
  #failure: { readonly reason: unknown } | undefined;

  constructor(signal: AbortSignal | undefined, onClosed: () => void) {
    this.#signal = signal;
    this.#onClosed = onClosed;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get failure(): { readonly reason: unknown } | undefined {
    return this.#failure;
  }

  /** One at a time. Work that fails is the end of the exchange. */
  wait<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      work.then(resolve, (error: unknown) => this.fail(error));
      if (this.#failure !== undefined) reject(this.#failure.reason);
    });
  }

  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#reject?.(this.#failure.reason);
    this.close();
  }

  close(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#onClosed();
  }

  readonly #onAbort = (): void => this.fail(this.#signal?.reason);
}

type Read = IteratorResult<Uint8Array, undefined>;
const done: Read = { done: true, value: undefined };

/** The answer's bytes, which an abort cuts off. */
class InProcessBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #exchange: Exchange;
  /** Of a whole body that has not been read; undefined afterwards, and of a stream. */
  #whole: Uint8Array | undefined;
  readonly #parts: AsyncIterator<Uint8Array> | undefined;

  constructor(body: ServerResponse["body"], exchange: Exchange) {
    this.#exchange = exchange;
    if (typeof body === "string") this.#whole = Buffer.from(body);
    else if (body instanceof Uint8Array) this.#whole = body;
    else this.#parts = body[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Read> {
    const { failure } = this.#exchange;
    if (failure !== undefined) throw failure.reason;
    const whole = this.#whole;
    if (whole !== undefined && whole.length > 0) {
      this.#whole = undefined;
      return { done: false, value: whole };
    }
    const read = await (this.#parts === undefined ? done : this.#exchange.wait(this.#parts.next()));
    if (read.done) this.#exchange.close();
    return read;
  }

  async return(): Promise<Read> {
    this.#whole = undefined;
    await this.#parts?.return?.();
    this.#exchange.close();
    return done;
  }
}
