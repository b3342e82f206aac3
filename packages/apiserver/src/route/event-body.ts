import { Buffer } from "node:buffer";

/** Bytes that wait for a reader that is slower than the events, before the stream is cut. */
const maxWaitingBytes = 64 * 1024 * 1024;

/**
 * The body of a watch: lines are put in as events happen and taken out as fast as the reader reads, all that wait at
 * once. A reader that falls too far behind is cut off, as the real server cuts it.
 */
export class EventBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #onLeft: () => void;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #reader: ((result: IteratorResult<Uint8Array, undefined>) => void) | undefined;
  #ended = false;

  /** @param onLeft Called once when the reader leaves before the end. */
  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
  }

  push(line: Uint8Array): void {
    if (this.#ended) return;
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader({ done: false, value: line });
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#waitingBytes > maxWaitingBytes) this.#leave();
  }

  end(): void {
    this.#ended = true;
    this.#reader?.({ done: true, value: undefined });
    this.#reader = undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const [first] = this.#waiting;
    if (first !== undefined) {
      const value = this.#waiting.length === 1 ? first : Buffer.concat(this.#waiting);
      this.#waiting = [];
      this.#waitingBytes = 0;
      return Promise.resolve({ done: false, value });
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#ended) this.#leave();
    return Promise.resolve({ done: true, value: undefined });
  }

  #leave(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.end();
    this.#onLeft();
  }
}
