import { CodedError } from "../error/coded-error.ts";
import type { Clock, TimeoutSignal } from "./clock.ts";
import { type Duration, toMs } from "./duration.ts";
import type { Instant } from "./instant.ts";

/** What a clock is made of; the rest of the port follows from it, so that real and virtual time behave alike. */
export interface ClockCore {
  now(): Instant;
  elapsed(): number;
  scheduleMs(afterMs: number, run: () => void, unref: boolean): Disposable;
  outside<T>(work: Promise<T>): Promise<T>;
  random(): number;
}

/** Builds a Clock on the four things that differ between real and virtual time. */
export function clockFrom(core: ClockCore): Clock {
  const sleepMs = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        timer[Symbol.dispose]();
        reject(signal?.reason);
      };
      const timer = core.scheduleMs(
        ms,
        () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
        false,
      );
      signal?.addEventListener("abort", onAbort, { once: true });
    });

  return {
    now: core.now,
    elapsed: core.elapsed,
    outside: core.outside,
    random: core.random,
    schedule(after: Duration, run: () => void, options?: { readonly unref?: boolean }): Disposable {
      return core.scheduleMs(toMs(after), run, options?.unref ?? false);
    },
    sleep: (duration, signal) => sleepMs(toMs(duration), signal),
    async *ticks(every: Duration, signal: AbortSignal): AsyncGenerator<Instant, void, undefined> {
      const everyMs = toMs(every);
      if (everyMs === 0) throw new CodedError("InvalidDuration", "Cannot tick: the interval is 0, give one above 0");
      const startMs = core.elapsed();
      for (let last = 0; !signal.aborted; ) {
        const dueMs = startMs + (last + 1) * everyMs;
        try {
          if (core.elapsed() < dueMs) await sleepMs(dueMs - core.elapsed(), signal);
        } catch (reason) {
          if (signal.aborted) return;
          throw reason;
        }
        // Rounding may put the moment just below its own grid point; it must not come twice.
        last = Math.max(last + 1, Math.floor((core.elapsed() - startMs) / everyMs));
        yield core.now();
      }
    },
    timeout(duration: Duration, parent?: AbortSignal, { waitsFor } = {}): TimeoutSignal {
      const controller = new AbortController();
      const dispose = (): void => {
        timer?.[Symbol.dispose]();
        parent?.removeEventListener("abort", onParentAbort);
      };
      const onParentAbort = (): void => {
        dispose();
        controller.abort(parent?.reason);
      };
      const timer = parent?.aborted
        ? undefined
        : core.scheduleMs(
            toMs(duration),
            () => {
              dispose();
              const text = typeof duration === "number" ? `${duration} ms` : duration;
              const why =
                waitsFor === undefined
                  ? `the deadline of ${text} has passed`
                  : `${waitsFor} did not answer within ${text}`;
              controller.abort(new CodedError("Timeout", `Cannot go on: ${why}`));
            },
            true,
          );
      if (parent?.aborted) controller.abort(parent.reason);
      else parent?.addEventListener("abort", onParentAbort, { once: true });
      return Object.assign(controller.signal, { [Symbol.dispose]: dispose });
    },
  };
}
