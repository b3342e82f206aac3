import type { Source, SourceEvent } from "farwatch";
import type { ContractPromise } from "./contract-promise.ts";
import type { SourceStage } from "./source-stage.ts";

/** Registers one test of the contract. */
export type Check<T> = (
  sentence: string,
  promise: ContractPromise,
  run: (stage: SourceStage<T>) => Promise<void>,
) => void;

/** What decides which tests there are for a source. */
export interface ContractSubject<T> {
  /** A source that is never opened. */
  readonly declared: Source<T>;
  readonly numberOf: ((event: SourceEvent<T>) => number) | undefined;
  /** Things happen when a test says so, and their events can be told apart. */
  readonly isNumbered: boolean;
  /** Moreover every one of them comes. */
  readonly isWhole: boolean;
  /** What was not worked on comes again. */
  readonly resends: boolean;
  /** Its origin can tell how much the source has taken. */
  readonly canTellTaken: boolean;
}

export function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
