/**
 * What `next` gives, in its order, until that is undefined or the signal aborts; `next` rejects at that. Throws what it
 * rejects with otherwise. What was not asked for is left where it is.
 */
export async function* readUntilAborted<T>(
  next: (signal: AbortSignal) => Promise<T | undefined>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  try {
    for (let value = await next(signal); value !== undefined; value = await next(signal)) yield value;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
