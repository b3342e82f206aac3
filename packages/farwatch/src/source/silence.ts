import type { Clock } from "../clock/clock.ts";
import { CodedError } from "../error/coded-error.ts";

/** Notices a far side that has gone without a word. */
export interface Silence extends Disposable {
  /** Aborts when a wait has lasted too long, with a CodedError `WatchSilent`, or as the signal that was given does. */
  readonly signal: AbortSignal;
  /** A wait for the far side. What is done between waits is not its silence. */
  during<T>(wait: Promise<T>): Promise<T>;
}

export function createSilence(
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  mostMs: number,
  doing: string,
): Silence {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  const silent = (): void =>
    controller.abort(new CodedError("WatchSilent", `Cannot ${doing}: nothing has come for ${mostMs} ms`));
  return {
    signal: controller.signal,
    async during(wait) {
      using _timer = clock.schedule(mostMs, silent);
      return await wait;
    },
    [Symbol.dispose]: () => signal.removeEventListener("abort", onAbort),
  };
}
