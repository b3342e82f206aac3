import type { Clock } from "../clock/clock.ts";
import { CodedError } from "../error/coded-error.ts";
import { joinSignals } from "../flow/join-signals.ts";

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
  const silent = new AbortController();
  const either = joinSignals(signal, silent.signal);
  const end = (): void =>
    silent.abort(new CodedError("WatchSilent", `Cannot ${doing}: nothing has come for ${mostMs} ms`));
  return {
    signal: either,
    async during(wait) {
      using _timer = clock.schedule(mostMs, end);
      return await wait;
    },
    [Symbol.dispose]: () => either[Symbol.dispose](),
  };
}
