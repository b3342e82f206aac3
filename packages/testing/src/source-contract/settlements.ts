import assert from "node:assert/strict";
import type { SourceEvent } from "farwatch";

/** What becomes of the acknowledgements of a source's events. */
export interface Settlements<T> {
  /** How often each event that carried an ack was settled. */
  readonly counts: readonly number[];
  /** The event, watched as it is settled. */
  watch(event: SourceEvent<T>): SourceEvent<T>;
  /** Fails when settling an event threw, or gave a promise that rejected. */
  assertQuiet(): void;
}

export function createSettlements<T>(): Settlements<T> {
  const counts: number[] = [];
  const failures: string[] = [];
  const settle = (index: number, call: string, act: () => unknown): void => {
    counts[index] = (counts[index] ?? 0) + 1;
    try {
      // A function that is async may stand where one is wanted that returns nothing.
      Promise.resolve(act()).catch((error: unknown) => failures.push(`ack.${call}() rejected with ${String(error)}`));
    } catch (error) {
      failures.push(`ack.${call}() threw ${String(error)}`);
    }
  };
  return {
    counts,
    watch(event): SourceEvent<T> {
      const { ack } = event;
      if (ack === undefined) return event;
      const index = counts.push(0) - 1;
      return {
        ...event,
        ack: {
          done: () => settle(index, "done", () => ack.done()),
          retry: (after) => settle(index, "retry", () => ack.retry(after)),
          reject: (reason) =>
            settle(index, "reject", () => (ack.reject === undefined ? ack.done() : ack.reject(reason))),
        },
      };
    },
    assertQuiet(): void {
      assert.ok(failures.length === 0, `${failures.length} events could not be settled: ${failures[0]}`);
    },
  };
}
