import { type Clock, CodedError, type Duration, systemClock, toMs } from "farwatch";
import type { VirtualClock } from "farwatch/doubles";

/** How time passes in a test environment; see `TestEnv`. */
export interface TestTime {
  readonly clock: Clock;
  advance(duration: Duration): Promise<void>;
  settle(): Promise<void>;
  jump(byMs: number): void;
  /** Lets time pass, at most this much, until the work has ended; tells whether it has. */
  outlast(work: Promise<void>, atMost: Duration): Promise<boolean>;
}

/** Whether the work has ended, however it did. */
function ending(work: Promise<void>): { readonly ended: boolean } {
  const state = { ended: false };
  const end = (): void => {
    state.ended = true;
  };
  work.then(end, end);
  return state;
}

export function virtualTime(clock: VirtualClock): TestTime {
  return {
    clock,
    advance: (duration) => clock.advance(duration),
    settle: () => clock.settle(),
    jump: (byMs) => clock.jump(byMs),
    async outlast(work, atMost): Promise<boolean> {
      const state = ending(work);
      await clock.settle();
      const untilMs = clock.elapsed() + toMs(atMost);
      while (!state.ended && clock.elapsed() < untilMs) await clock.advance("1s");
      return state.ended;
    },
  };
}

/** No test waits longer in real time. */
const longest: Duration = "1m";
/** How long real sockets must be at rest. */
const quiet: Duration = "50ms";

/** `traffic` tells what is under way and how much there has been so far. */
export function realTime(traffic: () => { readonly inFlight: number; readonly sent: number }): TestTime {
  return {
    clock: systemClock,
    async advance(duration): Promise<void> {
      if (toMs(duration) > toMs(longest)) {
        throw new CodedError(
          "InvalidOption",
          `Cannot advance by ${duration} in real time: wait ${longest} at most, or take the embedded server`,
        );
      }
      await systemClock.sleep(duration);
    },
    async settle(): Promise<void> {
      for (let before = -1; before !== traffic().sent || traffic().inFlight > 0; ) {
        before = traffic().sent;
        await systemClock.sleep(quiet);
      }
    },
    jump(): void {
      throw new CodedError(
        "InvalidOption",
        "Cannot move the wall clock of this machine: take the embedded server, whose clock is virtual",
      );
    },
    async outlast(work, atMost): Promise<boolean> {
      const state = ending(work);
      const late = new AbortController();
      await Promise.race([work.catch(() => {}), systemClock.sleep(atMost, late.signal).catch(() => {})]);
      late.abort();
      return state.ended;
    },
  };
}
