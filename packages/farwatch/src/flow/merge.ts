import { createChannel } from "./channel.ts";
import { createTaskScope } from "./task-scope.ts";

/**
 * The values of several iterables in the order in which they arrive. Each is read one value ahead at the most. Ends when
 * all have ended; throws what the first of them throws, after the others were closed.
 */
export async function* merge<T>(iterables: Iterable<AsyncIterable<T>>): AsyncGenerator<T, void, undefined> {
  const channel = createChannel<T>({ capacity: 1 });
  await using scope = createTaskScope();
  let open = 0;
  for (const iterable of iterables) {
    open += 1;
    scope.run("merge", async (signal) => {
      try {
        for await (const value of iterable) await channel.send(value, { signal });
      } finally {
        open -= 1;
        if (open === 0) channel.close();
      }
    });
  }
  if (open === 0) return;
  scope.signal.addEventListener("abort", () => channel.close(), { once: true });
  yield* channel;
  await scope.join();
}
