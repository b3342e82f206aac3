import { CodedError } from "../error/coded-error.ts";
import { type Duration, toMs } from "./duration.ts";

/**
 * Thrown by whoever knows when to try again. A reconciler that throws it, or lets it through, runs again after exactly
 * this long instead of the backoff; it counts as a failure.
 */
export class RetryAfterError extends CodedError {
  readonly after: Duration;

  /** @throws CodedError `InvalidDuration` for a duration that is none. */
  constructor(after: Duration, options?: { readonly message?: string; readonly cause?: unknown }) {
    const afterMs = toMs(after);
    super("RetryAfter", options?.message ?? `Cannot finish now: try again after ${afterMs} ms`, options);
    this.after = after;
  }
}
