import type { Clock } from "../clock/clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import { answerWithin } from "../flow/answer-within.ts";
import { redactText } from "../observe/redact.ts";

/** What may change: a function is called at each opening, so that it is read again; it has 30 s. */
export type FreshSecret<T> = T | (() => T | Promise<T>);

export interface FreshSecretOptions {
  readonly source: string;
  /** Names it in errors: `url`. */
  readonly what: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Until it has answered nothing is read, and nothing else would say so. */
const longestMs = 30_000;

/**
 * What a source opens with, or what a function gives for it now. A function that does not end within 30 s, or by when
 * the signal aborts, is left to itself.
 *
 * @throws CodedError `CredentialFailed` when the function fails; the signal's reason when it aborts.
 */
export async function freshSecret<T extends string | object | undefined>(
  given: FreshSecret<T>,
  { source, what, clock, signal }: FreshSecretOptions,
): Promise<T> {
  if (typeof given !== "function") return given;
  try {
    return await clock.outside(answerWithin(() => given(), { clock, signal, withinMs: longestMs, of: "it" }));
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new CodedError(
      "CredentialFailed",
      `Cannot open source ${source}: the function that gives its ${what} failed: ${redactText(messageOf(cause))}`,
      { cause },
    );
  }
}
