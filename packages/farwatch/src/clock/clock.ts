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
  /** Runs a callback once after the duration; dispose to cancel. `unref` lets the process end meanwhile. */
  schedule(after: Duration, run: () => void, options?: { readonly unref?: boolean }): Disposable;
  /** Resolves after the duration; rejects with the signal's reason when it aborts first. */
  sleep(duration: Duration, signal?: AbortSignal): Promise<void>;
  /**
   * Yields at start + n · every, without drift: the grid is fixed when iteration starts, and grid points that pass while
   * the consumer is busy merge into one. Ends, without error, when the signal aborts.
   */
  ticks(every: Duration, signal: AbortSignal): AsyncIterable<Instant>;
  /** A signal that aborts with a CodedError `Timeout` after the duration, or with the parent's reason when that aborts. */
  timeout(duration: Duration, signal?: AbortSignal): TimeoutSignal;
  /**
   * Declares a wait that this clock does not control: a request on a socket, a file read, a child process. Virtual time
   * stands still until the promise has settled. Gives the promise back.
   */
  outside<T>(work: Promise<T>): Promise<T>;
}
