import type { Duration } from "./duration.ts";
import type { Instant } from "./instant.ts";

/** An AbortSignal that a timer aborts; dispose of it (`using`) to free the timer early. */
export type TimeoutSignal = AbortSignal & Disposable;

/**
 * Every behaviour that depends on time goes through this port: the system clock in production, a virtual one in tests.
 * Nothing outside clock/ touches Date, timers, `performance` or `AbortSignal.timeout`; a lint rule holds that.
 */
export interface Clock {
  /** The wall clock: it may jump. Use it for what others read, never to measure. */
  now(): Instant;
  /** Monotonic milliseconds since some fixed point; the only clock to measure and to decide deadlines with. */
  elapsed(): number;
  /**
   * Runs a callback once, never before the duration has passed; dispose to cancel. `unref` lets the process end
   * meanwhile.
   */
  schedule(after: Duration, run: () => void, options?: { readonly unref?: boolean }): Disposable;
  /** Resolves after the duration; rejects with the signal's reason when it aborts first. */
  sleep(duration: Duration, signal?: AbortSignal): Promise<void>;
  /**
   * Yields at start + n · every for n = 1, 2, …, from start to start and without drift: the grid is fixed when
   * iteration starts. Grid points that pass while the consumer is busy merge into one tick, which comes as soon as it
   * asks. Ends, without error, when the signal aborts.
   *
   * @throws CodedError `InvalidDuration` when the interval is 0.
   */
  ticks(every: Duration, signal: AbortSignal): AsyncIterable<Instant>;
  /**
   * A signal that aborts with a CodedError `Timeout` after the duration, or with the parent's reason when that aborts;
   * once disposed, with neither. Its timer lets the process end. The error names `waitsFor`, who did not answer:
   * `the API server`.
   */
  timeout(duration: Duration, signal?: AbortSignal, options?: { readonly waitsFor?: string }): TimeoutSignal;
  /**
   * Declares a wait that this clock does not control: a request on a socket, a file read, a child process. Virtual time
   * stands still until the promise has settled. Settles as the promise does.
   */
  outside<T>(work: Promise<T>): Promise<T>;
  /**
   * A number in [0, 1) for jitter and names, not for secrets: what waits for how long is then the same in every run of
   * a virtual clock.
   */
  random(): number;
}
