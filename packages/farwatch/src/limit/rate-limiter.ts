import type { Clock } from "../clock/clock.ts";
import type { Duration } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import { RetryAfterError } from "../clock/retry-after-error.ts";
import { systemClock } from "../clock/system-clock.ts";
import { CodedError } from "../error/coded-error.ts";
import { checkText } from "../error/given-text.ts";
import { checkWholeNumbers } from "../error/whole-numbers.ts";
import type { Metrics } from "../observe/metrics.ts";

export interface RateLimiterOptions {
  /** The label of its metrics. */
  readonly name: string;
  /** Calls a second of each key, in the long run; above 0, parts allowed. */
  readonly perSecond: number;
  /** Calls of a key that need not wait after a pause; default: as many as a second's, at least 1. */
  readonly burst?: number | undefined;
  /** A turn that would come later than this is refused at once; default 30 s. */
  readonly longestWait?: Duration | undefined;
  /** Keys that are remembered; beyond it the one that was asked for least recently starts anew; default 10,000. */
  readonly mostKeys?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly metrics?: Metrics | undefined;
}

/**
 * Paces calls by key, such as an endpoint with the name of a credential; one limiter may serve sources and reconcilers
 * alike.
 */
export interface RateLimiter {
  /**
   * Resolves when it is this call's turn; calls of a key come in the order in which they asked. A call that is aborted
   * while it waits uses no turn: those behind it move up.
   *
   * @throws RetryAfterError when the turn would come later than `longestWait`: a reconciler that lets it through runs
   *   again then; the signal's reason.
   */
  take(key: string, signal?: AbortSignal): Promise<void>;
  /** Takes a turn if there is one now, and gives 0; else the milliseconds until there is, and takes none. */
  tryTake(key: string): number;
  /**
   * Takes the next turn, however late it is, and gives the milliseconds until it comes, 0 for now. For callers that do
   * not wait on the spot, such as a reconciler that asks to run again then and leaves its worker to others: where each
   * holds one turn at most, all of them are served in the order in which they asked, and before those who wait in
   * `take`. A turn that is not made use of is lost.
   */
  reserve(key: string): number;
}

/** Calls of a key that wait for their turns, in the order in which they asked, and the timer of the first. */
interface Line {
  readonly turns: Set<() => void>;
  timer: Disposable | undefined;
}

/** Timers keep whole milliseconds: a turn that comes late for this alone does not put off the next. */
const timerMs = 1;

/**
 * A token bucket a key, kept as one number (the generic cell rate algorithm of ITU-T I.371).
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`.
 * @example
 * const limiter = createRateLimiter({ name: "s3", perSecond: 20, metrics: manager.metrics });
 * await limiter.take(`${endpoint} ${secretName}`, ctx.signal);
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { name, perSecond, burst = Math.max(1, Math.floor(perSecond)), mostKeys = 10_000 } = options;
  const clock = options.clock ?? systemClock;
  checkText(name, { doing: "make rate limiter", what: "name", give: "the label of its metrics" });
  const doing = `make rate limiter ${name}`;
  const longestWaitMs = givenMs(options.longestWait ?? "30s", { doing, what: "longestWait", least: 0 });
  // The milliseconds between the calls of a rate that is all but 0 are no number, and would let every call through.
  if (!(perSecond >= 1e-12 && perSecond < Number.POSITIVE_INFINITY))
    throw new CodedError("InvalidOption", `Cannot ${doing}: perSecond is ${perSecond}, give a number above 0`);
  checkWholeNumbers(doing, { burst, mostKeys });
  const spacingMs = 1_000 / perSecond;
  /** When the bucket of a key will be full again; full ones are forgotten. In the order of the last use. */
  const fullAtMs = new Map<string, number>();
  const lines = new Map<string, Line>();
  const labels = { limiter: name };
  const labelNames = ["limiter"];
  const waits = options.metrics?.histogram({
    name: "farwatch_rate_limiter_wait_seconds",
    help: "How long calls waited for their turn.",
    labelNames,
  });
  const refusals = options.metrics?.counter({
    name: "farwatch_rate_limiter_refused_total",
    help: "Calls whose turn would have come too late.",
    labelNames,
  });

  /** Forgets those at the front, which were not used for longest, while they are full; the first in any case. */
  const forgetSome = (nowMs: number): void => {
    let first = true;
    for (const [key, atMs] of fullAtMs) {
      if (!first && atMs > nowMs) return;
      fullAtMs.delete(key);
      first = false;
    }
  };

  const waitOfFirstMs = (key: string, nowMs: number): number =>
    Math.max(0, (fullAtMs.get(key) ?? nowMs) - (burst - 1) * spacingMs - nowMs);

  const use = (key: string, nowMs: number, lateMs = 0): void => {
    const atMs = Math.max(fullAtMs.get(key) ?? nowMs, nowMs - lateMs) + spacingMs;
    fullAtMs.delete(key);
    fullAtMs.set(key, atMs);
    if (fullAtMs.size > mostKeys) forgetSome(nowMs);
  };

  const waitMsOf = (key: string, nowMs: number): number =>
    waitOfFirstMs(key, nowMs) + (lines.get(key)?.turns.size ?? 0) * spacingMs;

  /** Lets those go whose turn has come, and waits for that of the next. */
  const advance = (key: string, line: Line): void => {
    const nowMs = clock.elapsed();
    for (const turn of line.turns) {
      const waitMs = waitOfFirstMs(key, nowMs);
      if (waitMs > 0) {
        line.timer = clock.schedule(Math.ceil(waitMs), () => advance(key, line));
        return;
      }
      line.turns.delete(turn);
      use(key, nowMs, timerMs);
      turn();
    }
    lines.delete(key);
  };

  const inLine = (key: string, signal: AbortSignal | undefined): Promise<void> => {
    const line = lines.get(key) ?? { turns: new Set(), timer: undefined };
    lines.set(key, line);
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        line.turns.delete(turn);
        if (line.turns.size === 0) {
          line.timer?.[Symbol.dispose]();
          lines.delete(key);
        }
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      line.turns.add(turn);
      if (line.turns.size === 1) advance(key, line);
    });
  };

  return {
    async take(key, signal): Promise<void> {
      signal?.throwIfAborted();
      const askedMs = clock.elapsed();
      const waitMs = waitMsOf(key, askedMs);
      if (waitMs > longestWaitMs) {
        refusals?.add(labels);
        throw new RetryAfterError(Math.ceil(waitMs), {
          message: `Cannot call ${key}: rate limiter ${name} would let it wait ${Math.ceil(waitMs)} ms, longer than ${longestWaitMs} ms; try again then`,
        });
      }
      if (waitMs > 0) await inLine(key, signal);
      else use(key, askedMs);
      waits?.observe((clock.elapsed() - askedMs) / 1_000, labels);
    },
    tryTake(key): number {
      const nowMs = clock.elapsed();
      const waitMs = waitMsOf(key, nowMs);
      if (waitMs === 0) use(key, nowMs);
      else refusals?.add(labels);
      return Math.ceil(waitMs);
    },
    reserve(key): number {
      const nowMs = clock.elapsed();
      const waitMs = waitOfFirstMs(key, nowMs);
      use(key, nowMs);
      waits?.observe(waitMs / 1_000, labels);
      return Math.ceil(waitMs);
    },
  };
}
