export interface CallBatchesOptions<I> {
  /** Items that one call may carry. */
  readonly most: number;
  /** Makes one call for all the items; gives for each, in their order, the error it ended with, or undefined. */
  run(items: readonly I[]): Promise<readonly unknown[]>;
}

interface Asked<I> {
  readonly item: I;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes few calls of many: what is asked for in one tick, or while a call is under way, shares the next one. Calls
 * follow one another, in the order in which they were asked for. Settles for each item by itself; a call that fails
 * fails for all its items.
 */
export function createCallBatches<I>({ most, run }: CallBatchesOptions<I>): (item: I) => Promise<void> {
  const waiting: Asked<I>[] = [];
  let busy = false;

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most);
      try {
        const errors = await run(batch.map(({ item }) => item));
        for (const [index, { resolve, reject }] of batch.entries()) {
          if (errors[index] === undefined) resolve();
          else reject(errors[index]);
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    busy = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (busy) return;
      busy = true;
      // The tick's other items come along.
      queueMicrotask(work);
    });
}
