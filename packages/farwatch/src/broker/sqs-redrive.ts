import type { LogFields } from "../observe/logger.ts";

/** What is to be said of a queue whose own dead-letter queue takes messages before a source has given them up. */
export function* redriveProblems(policy: string | undefined, maxDeliveries: number): Iterable<[string, LogFields]> {
  if (policy === undefined || policy === "") return;
  let maxReceiveCount = Number.NaN;
  try {
    maxReceiveCount = Number((JSON.parse(policy) as { readonly maxReceiveCount?: unknown }).maxReceiveCount);
  } catch {
    // Told below.
  }
  if (Number.isNaN(maxReceiveCount)) yield ["Cannot read the redrive policy of the queue", { policy }];
  // A dead letter is known when it comes once more: with equal counts the queue has moved it by then.
  else if (maxReceiveCount <= maxDeliveries) {
    yield [
      "The redrive policy of the queue takes messages away before maxDeliveries: onDeadLetter will not see them",
      { maxReceiveCount, maxDeliveries },
    ];
  }
}
