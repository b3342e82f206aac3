import type { Clock } from "../clock/clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import { abortable } from "../flow/abortable.ts";
import { redactText } from "../observe/redact.ts";

export interface FreshSecretOptions {
  readonly source: string;
  /** Names it in errors: `url`. */
  readonly what: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * What a source opens with, or what a function gives for it now. A function that does not end is left to itself when
 * the signal aborts.
 *
 * @throws CodedError `CredentialFailed` when the function fails; the signal's reason when it aborts.
 */
export async function freshSecret<T extends string | object | undefined>(
  given: T | (() => T | Promise<T>),
  { source, what, clock, signal }: FreshSecretOptions,
): Promise<T> {
  if (typeof given !== "function") return given;
  try {
    return await clock.outside(abortable((async () => given())(), signal));
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new CodedError(
      "CredentialFailed",
      `Cannot open source ${source}: the function that gives its ${what} failed: ${redactText(messageOf(cause))}`,
      { cause },
    );
  }
}
