import { createChannel } from "./channel.ts";
import { createTaskScope } from "./task-scope.ts";

/**
 * The values of several streams in the order in which they arrive; no more than one value of each waits to be read, and
 * one in all beside. Ends when all have ended; throws what the first of them throws, after the others have ended.
 *
 * A stream is opened with a signal and must end when that aborts: when a sibling throws, when the reader leaves its
 * loop, or when `signal` aborts, which ends the whole without error.
 */
export async function* merge<T>(
  streams: Iterable<(signal: AbortSignal) => AsyncIterable<T>>,
  signal?: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const channel = createChannel<T>({ capacity: 1 });
  await using scope = createTaskScope(signal);
  const all = Array.from(streams, (open, index) => ({ open, name: `stream ${index}` }));
  let left = all.length;
  if (left === 0 || scope.signal.aborted) return;
  for (const { open, name } of all) {
    scope.run(name, async (stopped) => {
      try {
        for await (const value of open(stopped)) await channel.send(value, { signal: stopped });
      } finally {
        left -= 1;
        if (left === 0) channel.close();
      }
    });
  }
  yield* channel;
  await scope.join();
}
