import { CodedError } from "../error/coded-error.ts";
import { type Duration, toMs } from "./duration.ts";
import { type Random, systemRandom } from "./random.ts";

export interface BackoffOptions {
  /** The delay after the first failure; default 1 s. */
  readonly initial?: Duration;
  /** No delay is longer; default 30 s. */
  readonly max?: Duration;
  /** What each failure multiplies the delay by; default 2. */
  readonly factor?: number;
  /**
   * `full`: anywhere between 0 and the delay, so that a crowd of clients spreads; `equal`: between half the delay and
   * the delay; `none`: exactly it. Default `full`.
   */
  readonly jitter?: "full" | "equal" | "none";
  /** Default: `systemRandom`. */
  readonly random?: Random | undefined;
}

/** Exponential backoff with jitter. */
export interface Backoff {
  /** The delay in milliseconds after the n-th failure in a row, counted from 1; any number of failures is fine. */
  delayMs(failures: number): number;
}

/** @throws CodedError `InvalidDuration` for a delay that is none; `InvalidOption` for a factor below 1. */
export function backoff(options: BackoffOptions = {}): Backoff {
  const initialMs = toMs(options.initial ?? "1s");
  const maxMs = toMs(options.max ?? "30s");
  const factor = options.factor ?? 2;
  if (!(factor >= 1)) {
    throw new CodedError("InvalidOption", `Cannot back off: factor is ${factor}, give a number of at least 1`);
  }
  const random = options.random ?? systemRandom;
  const jitter = options.jitter ?? "full";
  return {
    delayMs(failures: number): number {
      // The power is infinite after some thousand failures, and 0 times infinity is no number.
      const growth = Math.min(Number.MAX_VALUE, factor ** Math.max(0, failures - 1));
      const delayMs = Math.min(maxMs, initialMs * growth);
      if (jitter === "none") return delayMs;
      if (jitter === "full") return random() * delayMs;
      return delayMs / 2 + random() * (delayMs / 2);
    },
  };
}
