import type { Duration } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import type { CircuitBreaker } from "../limit/circuit-breaker.ts";
import type { RateLimiter } from "../limit/rate-limiter.ts";
import type { PollingOptions } from "./polling.ts";
import { checkBounds, checkFunctions, checkNeeded } from "./refuse-source.ts";
import type { SourceOptions } from "./source-options.ts";

/** What both kinds of polls can be told. */
export interface PollOptions<T> extends SourceOptions {
  /** No update is told between two things that are equal; default: a deep comparison. */
  readonly equal?: (before: T, now: T) => boolean;
  /** A poll that has not answered by then has failed, and its signal aborts; default 30 s. */
  readonly timeout?: Duration;
  /** Each poll waits for its turn there; a turn that would come too late is a failed poll. */
  readonly rateLimiter?: RateLimiter;
  /** While its circuit is open no poll is made; each that was due has failed. */
  readonly circuitBreaker?: CircuitBreaker;
  /** Events that may wait for a watch; default 1,024. */
  readonly capacity?: number;
}

/** What a source of polls declares, whichever it is. */
export const pollDeclared = { delivery: "atLeastOnce", durability: "process", restates: true } as const;

/** @throws CodedError `InvalidOption` or `InvalidDuration`, naming the option. */
export function limitsOf<T>(
  { equal, timeout = "30s", rateLimiter, circuitBreaker, capacity }: PollOptions<T>,
  name: string,
): Pick<PollingOptions<never>, "timeoutMs" | "rateLimiter" | "circuitBreaker"> {
  checkFunctions(name, { equal });
  checkBounds(name, { capacity });
  if (rateLimiter !== undefined) checkNeeded(name, { "rateLimiter.take": rateLimiter?.take });
  if (circuitBreaker !== undefined) checkNeeded(name, { "circuitBreaker.run": circuitBreaker?.run });
  const timeoutMs = givenMs(timeout, { doing: `make source ${name}`, what: "timeout" });
  return { timeoutMs, rateLimiter, circuitBreaker };
}
