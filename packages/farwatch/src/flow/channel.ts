import { CodedError } from "../error/coded-error.ts";

/** What happens to a value when the buffer is full; see {@link createChannel}. */
export type Overflow<T> = "wait" | "dropOldest" | { readonly coalesce: (value: T) => string };

export interface ChannelOptions<T> {
  /** Values kept at the most; at least 1, default 1,024. */
  readonly capacity?: number;
  /**
   * `wait` (default): the sender waits for room. `dropOldest`: the oldest value goes, counted in `dropped`.
   * `coalesce`: a value replaces a buffered one with the same key, in its place; when no key matches, the sender waits.
   */
  readonly overflow?: Overflow<T>;
  /** Coalescing gives this the buffered value and the new one; default: the new one wins. */
  readonly merge?: (buffered: T, value: T) => T;
  /** Called with each value that `dropOldest` drops. */
  readonly onDrop?: (value: T) => void;
}

/**
 * A bounded buffer between senders and one reader. Values come out in the order in which they went in. After `close()`
 * what is buffered is still read, then the iteration ends.
 */
export interface Channel<T> extends AsyncIterable<T> {
  /** Values buffered now. */
  readonly size: number;
  readonly capacity: number;
  /** Values lost to `dropOldest` so far. */
  readonly dropped: number;
  readonly closed: boolean;
  /**
   * Resolves when the value is in the buffer.
   *
   * @throws CodedError `ChannelClosed` when the channel is closed before there was room; the signal's reason when it aborts.
   */
  send(value: T, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Puts the value in when that needs no wait; false, and nothing done, when it would. */
  trySend(value: T): boolean;
  /** Takes the oldest value when there is one. */
  tryReceive(): T | undefined;
  /** Resolves with the next value, or undefined once closed and empty; rejects with the signal's reason. */
  receive(signal?: AbortSignal): Promise<T | undefined>;
  /** No more values; twice does no harm. */
  close(): void;
}

interface Waiting<T> {
  readonly value: T;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export function createChannel<T>(options: ChannelOptions<T> = {}): Channel<T> {
  const capacity = options.capacity ?? 1_024;
  if (!Number.isInteger(capacity) || capacity < 1) {
    throw new CodedError("InvalidOption", `Cannot create a channel: capacity is ${capacity}, give a whole number of at least 1`);
  }
  const overflow = options.overflow ?? "wait";
  const keyOf = typeof overflow === "object" ? overflow.coalesce : undefined;
  /** Ring of what is buffered: `buffer[head]` is the oldest; entries before head are spent. */
  let buffer: T[] = [];
  let head = 0;
  /** Absolute position (counted from the first value ever) of the buffered value of a key. */
  const positions = new Map<string, number>();
  let taken = 0;
  const senders = new Set<Waiting<T>>();
  const readers: ((value: T | undefined) => void)[] = [];
  let dropped = 0;
  let closed = false;

  const size = (): number => buffer.length - head;

  const shift = (): T => {
    const value = buffer[head] as T;
    buffer[head] = undefined as T;
    head += 1;
    taken += 1;
    if (keyOf !== undefined) positions.delete(keyOf(value));
    if (head > 64 && head * 2 > buffer.length) {
      buffer = buffer.slice(head);
      head = 0;
    }
    return value;
  };

  const put = (value: T): void => {
    const reader = size() === 0 ? readers.shift() : undefined;
    if (reader !== undefined) {
      reader(value);
      return;
    }
    if (keyOf !== undefined) positions.set(keyOf(value), taken + size());
    buffer.push(value);
  };

  const coalesced = (value: T): boolean => {
    const position = keyOf === undefined ? undefined : positions.get(keyOf(value));
    if (position === undefined) return false;
    const index = head + position - taken;
    const buffered = buffer[index] as T;
    buffer[index] = options.merge === undefined ? value : options.merge(buffered, value);
    return true;
  };

  const trySend = (value: T): boolean => {
    if (closed) throw closedError();
    if (coalesced(value)) return true;
    if (size() >= capacity) {
      if (overflow !== "dropOldest") return false;
      const oldest = shift();
      dropped += 1;
      options.onDrop?.(oldest);
    }
    put(value);
    return true;
  };

  const admitSenders = (): void => {
    for (const waiting of senders) {
      if (!coalesced(waiting.value)) {
        if (size() >= capacity) return;
        put(waiting.value);
      }
      senders.delete(waiting);
      waiting.resolve();
    }
  };

  const tryReceive = (): T | undefined => {
    if (size() === 0) return undefined;
    const value = shift();
    if (senders.size > 0) admitSenders();
    return value;
  };

  const receive = (signal?: AbortSignal): Promise<T | undefined> => {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (size() > 0) return Promise.resolve(tryReceive());
    if (closed) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        readers.splice(readers.indexOf(reader), 1);
        reject(signal?.reason);
      };
      const reader = (value: T | undefined): void => {
        signal?.removeEventListener("abort", onAbort);
        resolve(value);
      };
      readers.push(reader);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  };

  return {
    get size() {
      return size();
    },
    capacity,
    get dropped() {
      return dropped;
    },
    get closed() {
      return closed;
    },
    trySend,
    tryReceive,
    receive,
    send(value, { signal } = {}): Promise<void> {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (closed) return Promise.reject(closedError());
      // Whoever waits goes first, or a fast sender would overtake a patient one for ever.
      if (senders.size === 0 && trySend(value)) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          senders.delete(waiting);
          reject(signal?.reason);
        };
        const settle = (): void => signal?.removeEventListener("abort", onAbort);
        const waiting: Waiting<T> = {
          value,
          resolve: () => {
            settle();
            resolve();
          },
          reject: (reason) => {
            settle();
            reject(reason);
          },
        };
        senders.add(waiting);
        signal?.addEventListener("abort", onAbort, { once: true });
      });
    },
    close(): void {
      if (closed) return;
      closed = true;
      for (const waiting of senders) waiting.reject(closedError());
      senders.clear();
      for (const reader of readers.splice(0)) reader(undefined);
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
      for (;;) {
        if (closed && size() === 0) return;
        const value = await receive();
        if (value === undefined && closed && size() === 0) return;
        yield value as T;
      }
    },
  };
}

function closedError(): CodedError {
  return new CodedError("ChannelClosed", "Cannot send: the channel is closed, open a new one");
}
