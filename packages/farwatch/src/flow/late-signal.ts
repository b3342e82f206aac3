import type { Clock } from "../clock/clock.ts";

export interface LateSignalOptions {
  readonly clock: Clock;
  readonly afterMs: number;
}

/**
 * Aborts with the reason of `first`, so long after it: for calls that shall still settle what is under way when
 * everything else has ended. Dispose of it when they have: it hangs on `first`.
 */
export function lateSignal(first: AbortSignal, { clock, afterMs }: LateSignalOptions): AbortSignal & Disposable {
  const controller = new AbortController();
  let timer: Disposable | undefined;
  const onAbort = (): void => {
    timer = clock.schedule(afterMs, () => controller.abort(first.reason), { unref: true });
  };
  if (first.aborted) onAbort();
  else first.addEventListener("abort", onAbort, { once: true });
  return Object.assign(controller.signal, {
    [Symbol.dispose](): void {
      first.removeEventListener("abort", onAbort);
      timer?.[Symbol.dispose]();
    },
  });
}
