import { type Duration, toMs } from "../clock/duration.ts";
import type { CircuitBreaker } from "../limit/circuit-breaker.ts";
import type { RateLimiter } from "../limit/rate-limiter.ts";
import type { PollingOptions } from "./polling.ts";
import { refuseSource } from "./refuse-source.ts";
import type { Source } from "./source.ts";

/** What both kinds of polls can be told. */
export interface PollOptions<T> {
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
  /** Default: on the leader alone. */
  readonly needLeaderElection?: boolean;
  /** readyz answers 503 while it is failing; default false. */
  readonly critical?: boolean;
}

/** What a source of polls declares, whichever it is. */
export function declared<T>(
  options: PollOptions<T>,
  name: string,
): Pick<Source<T>, "name" | "delivery" | "durability" | "restates" | "capacity" | "needLeaderElection" | "critical"> {
  return {
    name,
    delivery: "atLeastOnce",
    durability: "process",
    restates: true,
    capacity: options.capacity,
    needLeaderElection: options.needLeaderElection,
    critical: options.critical ?? false,
  };
}

/** @throws CodedError `InvalidDuration`; `InvalidOption` for a timeout of 0, with which every poll would fail. */
export function limitsOf<T>(
  { timeout = "30s", rateLimiter, circuitBreaker }: PollOptions<T>,
  source: string,
): Pick<PollingOptions<never>, "source" | "timeoutMs" | "rateLimiter" | "circuitBreaker"> {
  const timeoutMs = toMs(timeout);
  if (timeoutMs === 0) refuseSource(source, "timeout is 0, give one above 0");
  return { source, timeoutMs, rateLimiter, circuitBreaker };
}
