import { CodedError } from "../error/coded-error.ts";
import { checkWholeNumbers } from "../error/whole-numbers.ts";
import { createFifo } from "./fifo.ts";
import { createWaiters, type Waiter } from "./waiters.ts";

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
   * @throws CodedError `ChannelClosed` when the channel is closed before there was room; the signal's reason when it
   * aborts.
   */
  send(value: T, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /**
   * Puts the value in when that needs no wait; false, and nothing done, when it would.
   *
   * @throws CodedError `ChannelClosed` when the channel is closed.
   */
  trySend(value: T): boolean;
  /** Takes the oldest value when there is one. */
  tryReceive(): T | undefined;
  /** Resolves with the next value, or undefined once closed and empty; rejects with the signal's reason. */
  receive(signal?: AbortSignal): Promise<T | undefined>;
  /** Senders that wait for room wait no more: each `send` rejects with a reason of its own. What is buffered stays. */
  refuse(reason: () => unknown): void;
  /** No more values; twice does no harm. */
  close(): void;
}

interface Entry<T> {
  value: T;
  /** The key under which it coalesces; undefined for the other kinds of overflow. */
  readonly key: string | undefined;
}

interface Sender<T> extends Entry<T>, Waiter<Sender<T>> {
  readonly admitted: () => void;
}

interface Reader<T> extends Waiter<Reader<T>> {
  readonly take: (entry: Entry<T> | undefined) => void;
}

/**
 * An open, empty channel.
 *
 * @throws CodedError `InvalidOption` when the capacity is no whole number of at least 1.
 */
export function createChannel<T>(options: ChannelOptions<T> = {}): Channel<T> {
  const capacity = options.capacity ?? 1_024;
  checkWholeNumbers("create a channel", { capacity });
  const overflow = options.overflow ?? "wait";
  const keyOf = typeof overflow === "object" ? overflow.coalesce : undefined;
  const mergeValues = options.merge ?? ((_buffered: T, value: T) => value);
  const buffer = createFifo<Entry<T>>();
  /** The buffered entry of each key. */
  const byKey = new Map<string, Entry<T>>();
  /** In the order in which they go in. While one waits, the buffer is full and holds no entry of its key. */
  const senders = createWaiters<Sender<T>>();
  /** While one waits, the buffer is empty. */
  const readers = createWaiters<Reader<T>>();
  let dropped = 0;
  let closed = false;

  const entryOf = (value: T): Entry<T> => ({ value, key: keyOf?.(value) });

  const put = (entry: Entry<T>): void => {
    const reader = readers.first;
    if (reader !== undefined) {
      readers.delete(reader);
      reader.take(entry);
      return;
    }
    buffer.push(entry);
    if (entry.key !== undefined) byKey.set(entry.key, entry);
  };

  const coalesced = ({ key, value }: Entry<T>): boolean => {
    const buffered = key === undefined ? undefined : byKey.get(key);
    if (buffered === undefined) return false;
    buffered.value = mergeValues(buffered.value, value);
    return true;
  };

  const take = (): Entry<T> | undefined => {
    const entry = buffer.shift();
    if (entry?.key !== undefined) byKey.delete(entry.key);
    return entry;
  };

  const tryPut = (entry: Entry<T>): boolean => {
    if (coalesced(entry)) return true;
    if (buffer.size >= capacity) {
      if (overflow !== "dropOldest") return false;
      const oldest = take();
      dropped += 1;
      if (oldest !== undefined) options.onDrop?.(oldest.value);
    }
    put(entry);
    return true;
  };

  const admitSenders = (): void => {
    for (let sender = senders.first; sender !== undefined; sender = sender.after) {
      if (tryPut(sender)) {
        senders.delete(sender);
        sender.admitted();
      } else if (keyOf === undefined) {
        return;
      }
    }
  };

  const takeAndAdmit = (): Entry<T> | undefined => {
    const entry = take();
    admitSenders();
    return entry;
  };

  const next = <R>(of: (entry: Entry<T> | undefined) => R, signal?: AbortSignal): Promise<R> => {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (buffer.size > 0 || closed) return Promise.resolve(of(takeAndAdmit()));
    return new Promise((resolve, reject) => {
      const take = (entry: Entry<T> | undefined): void => resolve(of(entry));
      readers.add({ signal, reject, take, before: undefined, after: undefined, heard: undefined });
    });
  };

  const waitForRoom = ({ value, key }: Entry<T>, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((admitted, reject) => {
      senders.add({ value, key, signal, admitted, reject, before: undefined, after: undefined, heard: undefined });
    });

  const refuse = (reason: () => unknown): void => {
    for (const sender of senders.takeAll()) sender.reject(reason());
  };

  return {
    get size() {
      return buffer.size;
    },
    capacity,
    get dropped() {
      return dropped;
    },
    get closed() {
      return closed;
    },
    trySend(value): boolean {
      if (closed) throw closedError();
      return tryPut(entryOf(value));
    },
    send(value, { signal } = {}): Promise<void> {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (closed) return Promise.reject(closedError());
      try {
        const entry = entryOf(value);
        return tryPut(entry) ? taken : waitForRoom(entry, signal);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    tryReceive: () => takeAndAdmit()?.value,
    receive: (signal) => next((entry) => entry?.value, signal),
    refuse,
    close(): void {
      if (closed) return;
      closed = true;
      refuse(closedError);
      for (const reader of readers.takeAll()) reader.take(undefined);
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
      for (let entry = await next(asIs); entry !== undefined; entry = await next(asIs)) yield entry.value;
    },
  };
}

/** For each value that had room: whoever sends many need not make a promise for each. */
const taken = Promise.resolve();

function closedError(): CodedError {
  return new CodedError("ChannelClosed", "Cannot send: the channel is closed, open a new one");
}

function asIs<V>(value: V): V {
  return value;
}
