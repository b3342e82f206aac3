import { type Duration, toMs } from "../clock/duration.ts";
import { CodedError } from "../error/coded-error.ts";

/** Thrown by a reconciler when trying again cannot help until something changes: the request is dropped and counted. */
export class TerminalError extends CodedError {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super("Terminal", message, options);
  }
}

/** Thrown by a reconciler that knows when to try again: after exactly this long, instead of the backoff. Counts as a failure. */
export class RetryAfterError extends CodedError {
  readonly after: Duration;

  /** @throws CodedError `InvalidDuration` for a duration that is none. */
  constructor(after: Duration, options?: { readonly message?: string; readonly cause?: unknown }) {
    const afterMs = toMs(after);
    super("RetryAfter", options?.message ?? `Cannot finish now: try again after ${afterMs} ms`, options);
    this.after = after;
  }
}
