import type { Clock } from "../clock/clock.ts";

/** Whoever delivers a body: paused while its reader is slow, cancelled when the reader leaves early. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** The rest is not wanted: frees the connection. Not called once the body has ended or failed. */
  cancel(): void;
}

export interface ResponseBodyOptions {
  readonly clock: Clock;
  readonly source: BodySource;
  readonly signal?: AbortSignal | undefined;
  /** Waits of the reader are not declared to the clock. */
  readonly streaming?: boolean | undefined;
  /** Called once, when no more will come: the end has arrived, it failed, or the reader left. */
  readonly onClosed: () => void;
}

/** Bytes kept for a reader that is slower than the network, before the source is paused. */
const bodyBufferBytes = 256 * 1024;

type Read = IteratorResult<Uint8Array, undefined>;
const done: Read = { done: true, value: undefined };

interface Reader {
  readonly resolve: (read: Read) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * A body as it arrives. It flows from the start, so that a small one that nobody reads still ends and frees its
 * connection. Iterated once; written by hand, because an async generator's `return()` waits behind a pending `next()`.
 */
export class ResponseBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #options: ResponseBodyOptions;
  readonly #chunks: Uint8Array[] = [];
  readonly #readers: Reader[] = [];
  #bufferedBytes = 0;
  #paused = false;
  /** No more comes from the source. */
  #closed = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: ResponseBodyOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): void {
    if (this.#closed) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: chunk });
      return;
    }
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
    if (this.#bufferedBytes < bodyBufferBytes || this.#paused) return;
    this.#paused = true;
    this.#options.source.pause();
  }

  /** The source has delivered everything. */
  end(): void {
    if (!this.#close()) return;
    for (const reader of this.#readers.splice(0)) reader.resolve(done);
  }

  /** The source failed: the reader gets what had arrived, then the error. */
  fail(error: unknown): void {
    if (!this.#close()) return;
    const reader = this.#readers.shift();
    if (reader === undefined) this.#failure = { error };
    else reader.reject(error);
    for (const other of this.#readers.splice(0)) other.resolve(done);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Read> {
    const { signal, streaming, clock } = this.#options;
    if (signal?.aborted && this.#chunks.length > 0) {
      this.#drop();
      this.#failure = { error: signal.reason };
    }
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#bufferedBytes -= chunk.length;
      if (this.#paused && this.#bufferedBytes < bodyBufferBytes / 2 && !this.#closed) {
        this.#paused = false;
        this.#options.source.resume();
      }
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#failure !== undefined) {
      const { error } = this.#failure;
      this.#failure = undefined;
      return Promise.reject(error);
    }
    if (this.#closed) return Promise.resolve(done);
    const read = new Promise<Read>((resolve, reject) => {
      this.#readers.push({ resolve, reject });
    });
    return streaming ? read : clock.outside(read);
  }

  return(): Promise<Read> {
    this.#drop();
    this.#failure = undefined;
    if (this.#close()) {
      this.#options.source.cancel();
      for (const reader of this.#readers.splice(0)) reader.resolve(done);
    }
    return Promise.resolve(done);
  }

  #drop(): void {
    this.#chunks.length = 0;
    this.#bufferedBytes = 0;
  }

  #close(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    this.#options.onClosed();
    return true;
  }
}
