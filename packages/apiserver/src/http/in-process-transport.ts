import { type Clock, CodedError, type Transport, type TransportResponse } from "farwatch";
import type { Handler, ServerResponse } from "../route/server-request.ts";

/**
 * A Transport that hands requests straight to the server: no socket, no port, no time. The host of a URL does not matter. Bodies are
 * the server's own bytes; an aborted request rejects with its signal's reason, as on a socket.
 */
export function createInProcessTransport(handler: Handler, clock: Clock): Transport {
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
      const { pathname, search } = new URL(request.url);
      request.beforeWrite?.();
      const startMs = clock.elapsed();
      const signal = request.signal === undefined ? closing.signal : AbortSignal.any([request.signal, closing.signal]);
      inFlight += 1;
      let flying = true;
      const landed = (): void => {
        if (flying) inFlight -= 1;
        flying = false;
      };
      try {
        const response = await orAborted(
          handler({
            method: request.method,
            target: `${pathname}${search}`,
            headers: request.headers ?? {},
            body: typeof request.body === "string" ? Buffer.from(request.body) : request.body,
            signal,
          }),
          signal,
        );
        if (request.streaming) landed();
        return {
          status: response.status,
          headers: flatHeaders(response.headers),
          body: new InProcessBody(response.body, signal, landed),
          timings: { firstByte: clock.elapsed() - startMs },
        };
      } catch (error) {
        landed();
        throw error;
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      closed = true;
      closing.abort(new CodedError("ConnectionFailed", "Cannot go on: the server in the process has stopped"));
    },
  };
}

function flatHeaders(headers: ServerResponse["headers"]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : value.join(", ")]),
  );
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

const done: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The answer's bytes, which an abort cuts off. */
class InProcessBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #signal: AbortSignal;
  readonly #onClosed: () => void;

  constructor(body: ServerResponse["body"], signal: AbortSignal, onClosed: () => void) {
    this.#signal = signal;
    this.#onClosed = onClosed;
    this.#source = typeof body === "string" || body instanceof Uint8Array ? once(body) : body[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      this.#signal.throwIfAborted();
      const read = await orAborted(this.#source.next(), this.#signal);
      if (!read.done) return read;
      this.#onClosed();
      return done;
    } catch (error) {
      this.#onClosed();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    await this.#source.return?.();
    this.#onClosed();
    return done;
  }
}

async function* once(body: string | Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (bytes.length > 0) yield bytes;
}
