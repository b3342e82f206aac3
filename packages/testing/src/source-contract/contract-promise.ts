import { AssertionError } from "node:assert/strict";

/** What users may rely on from any source, by the number that docs/promises.md gives it. */
const promises = {
  1: "Nothing is lost",
  2: "Buffers are bounded",
  3: "Failing sources show, and recover",
  4: "An event is acknowledged when its work is done",
  13: "No handle stays open",
  14: "Whatever waits can be aborted",
};

export interface ContractPromise {
  readonly promise: keyof typeof promises;
  /** Where in a source the fault usually is: ends a sentence that begins with "Look at". */
  readonly lookAt: string;
}

/** Of every test, once its source has been closed. */
export const nothingOpen: ContractPromise = {
  promise: 13,
  lookAt: "the `finally` of `events`: timers, informers and connections that it opened close there",
};
export const settledInPeace: ContractPromise = {
  promise: 4,
  lookAt:
    "`ack.done`, `ack.retry` and `ack.reject`: they neither throw nor give a promise that rejects, whatever the origin answers; log it, and the origin delivers the event again",
};

/** Runs a part of the contract: what it finds wrong says which promise is broken, and where to look. */
export async function keeping({ promise, lookAt }: ContractPromise, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error;
    const message = `${error.message}\nThis breaks promise ${promise}: ${promises[promise]}. Look at ${lookAt}.`;
    throw new AssertionError({ message });
  }
}
