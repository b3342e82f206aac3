import type { Clock } from "../clock/clock.ts";
import { answerWithin } from "../flow/answer-within.ts";
import { lateSignal } from "../flow/late-signal.ts";

/** A hook that takes longer has failed: what comes behind its letter waits meanwhile. */
const longestMs = 30_000;
/** One that is under way when everything stops may take so long. */
const lateMs = 2_000;

/**
 * Calls a dead-letter hook, which gets 30 s, and 2 s from when the signal aborts.
 *
 * @throws CodedError `Timeout` when it has not ended by then; the signal's reason; what the hook throws.
 */
export async function callDeadLetterHook(
  hook: () => void | PromiseLike<void>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  using late = lateSignal(signal, { clock, afterMs: lateMs });
  await answerWithin(hook, { clock, signal: late, withinMs: longestMs, of: "onDeadLetter" });
}
