import type { Acknowledgement, Context } from "farwatch";

/** An origin that delivers again what was not acknowledged, as a broker does. */
export function createBroker() {
  const waiting: number[] = [];
  const unacknowledged = new Set<number>();
  let connections = 0;
  let wake = (): void => {};
  const publish = (n: number): void => {
    waiting.push(n);
    wake();
  };
  return {
    publish,
    get connections() {
      return connections;
    },
    /** What it has handed over and was told nothing of. */
    get unacknowledged() {
      return unacknowledged.size;
    },
    async *consume({ signal }: Context): AsyncGenerator<{ readonly n: number; readonly ack: Acknowledgement }> {
      connections += 1;
      // A new consumer gets what the last one did not acknowledge.
      for (const n of unacknowledged) waiting.push(n);
      unacknowledged.clear();
      const onAbort = (): void => wake();
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        while (!signal.aborted) {
          const n = waiting.shift();
          if (n === undefined) {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
            continue;
          }
          unacknowledged.add(n);
          const settle = (again: boolean) => (): void => {
            if (unacknowledged.delete(n) && again) publish(n);
          };
          yield { n, ack: { done: settle(false), retry: settle(true) } };
        }
      } finally {
        connections -= 1;
        signal.removeEventListener("abort", onAbort);
      }
    },
  };
}
