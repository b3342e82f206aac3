/**
 * What `next` gives, in its order, until that is undefined or the signal aborts; `next` rejects at that. Throws what it
 * rejects with otherwise. What was not asked for is left where it is. `ended` is called once, when the stream has ended
 * or its reader has left.
 */
export function readUntilAborted<T>(
  next: (signal: AbortSignal) => Promise<T | undefined>,
  signal: AbortSignal,
  ended?: () => void,
): AsyncIterableIterator<T, undefined, undefined> {
  let over = false;
  const end = (): { readonly done: true; readonly value: undefined } => {
    if (!over) ended?.();
    over = true;
    return { done: true, value: undefined };
  };
  const given = (value: T | undefined): IteratorResult<T, undefined> =>
    value === undefined ? end() : { done: false, value };
  const failed = (error: unknown): IteratorResult<T, undefined> => {
    end();
    if (signal.aborted) return end();
    throw error;
  };
  // No generator: it would make three more promises for each value, and its `return()` waits behind a pending `next()`.
  return {
    next: () => (over ? Promise.resolve(end()) : next(signal).then(given, failed)),
    async return() {
      return end();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
