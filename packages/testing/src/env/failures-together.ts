import { messageOf } from "farwatch";

/**
 * What was thrown, with all that a SuppressedError hides in full view: no test runner prints its parts, while an
 * AggregateError is printed with all of them, in the order in which they happened.
 */
export function failuresTogether(error: unknown): unknown {
  const failures = [...new Set(unfolded(error))];
  if (failures.length === 1) return failures[0];
  // Of an assertion the first line: the rest is printed with it.
  const texts = failures.map((failure) => messageOf(failure).split("\n", 1)[0]);
  return new AggregateError(failures, texts.join("; and then: "));
}

function unfolded(error: unknown): readonly unknown[] {
  if (error instanceof SuppressedError) return [...unfolded(error.suppressed), ...unfolded(error.error)];
  return error instanceof AggregateError ? error.errors.flatMap(unfolded) : [error];
}
