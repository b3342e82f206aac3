import type { Clock } from "../clock/clock.ts";
import { abortable } from "./abortable.ts";

export interface AnswerWithinOptions {
  readonly clock: Clock;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  readonly withinMs: number;
  /** Who is asked, in the error: `onDeadLetter`. */
  readonly of: string;
}

/**
 * What a function gives that is not ours, at once or by a promise, which may never settle: it is waited for so long and
 * then left to itself. It is handed a signal that aborts by then.
 *
 * @throws CodedError `Timeout`, naming who did not answer; the signal's reason; what the function throws.
 */
export async function answerWithin<T>(
  ask: (signal: AbortSignal) => T | PromiseLike<T>,
  { clock, signal, withinMs, of }: AnswerWithinOptions,
): Promise<T> {
  using deadline = clock.timeout(withinMs, signal, { waitsFor: of });
  return await abortable((async () => ask(deadline))(), deadline);
}
