import { type Clock, type Duration, systemClock, toMs } from "farwatch";
import { createVirtualClock } from "farwatch/doubles";

/** The time of one test of the contract: how it waits for what a source does. */
export interface ContractTime {
  readonly clock: Clock;
  /** Timers that have not fired; 0 where nobody can tell. */
  readonly pendingTimers: number;
  /** How long a source that closes waits for events that are held; default: the hub's. */
  readonly acknowledgeGrace?: Duration;
  /**
   * Resolves when the work has settled, however it does, and rejects as it does; gives up in silence after `within`.
   */
  wait<T>(work: Promise<T>, within: Duration): Promise<T | undefined>;
  /**
   * Resolves when `look` is true, and gives up in silence after `within`: then it is for the caller to say what is
   * wrong.
   */
  until(look: () => boolean, within: Duration): Promise<void>;
  /** Lets time go by, where that costs nothing. */
  pass(duration: Duration): Promise<void>;
  /** Resolves when nothing goes on, as far as can be told. */
  settle(): Promise<void>;
}

/** Nothing takes time, and everything that can happen within a time has happened when it is over. */
export function virtualTime(): ContractTime {
  const clock = createVirtualClock();
  return {
    clock,
    get pendingTimers() {
      return clock.pendingTimers;
    },
    async wait<T>(work: Promise<T>, within: Duration): Promise<T | undefined> {
      let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
      work.then(
        (value) => {
          outcome = { value };
        },
        (error: unknown) => {
          outcome = { error };
        },
      );
      await clock.settle();
      if (outcome === undefined) await clock.advance(within);
      if (outcome !== undefined && "error" in outcome) throw outcome.error;
      return outcome?.value;
    },
    until: (_look, within) => clock.advance(within),
    pass: (duration) => clock.advance(duration),
    settle: () => clock.settle(),
  };
}

/** Longer than any server takes that is not overloaded. */
const patience: Duration = "20s";
/** In which what must not happen has time to happen. */
const quiet: Duration = "50ms";

/**
 * For sources whose origin is a server: a wait ends when what it waits for has happened, and takes long only when it
 * does not.
 */
export function realTime(): ContractTime {
  const clock = systemClock;
  const within = (duration: Duration): number => toMs(duration) + toMs(patience);
  return {
    clock,
    pendingTimers: 0,
    acknowledgeGrace: "250ms",
    async wait<T>(work: Promise<T>, duration: Duration): Promise<T | undefined> {
      const overdue = Promise.withResolvers<undefined>();
      using _overdue = clock.schedule(within(duration), () => overdue.resolve(undefined));
      return await Promise.race([work, overdue.promise]);
    },
    async until(look, duration): Promise<void> {
      const endMs = clock.elapsed() + within(duration);
      while (!look() && clock.elapsed() < endMs) await clock.sleep(5);
    },
    async pass(): Promise<void> {},
    settle: () => clock.sleep(quiet),
  };
}
