import type { Duration } from "../clock/duration.ts";
import type { Acknowledgement } from "./source-event.ts";

/**
 * One event under way: it is held by every watch that has not mapped it yet and by every request that it caused. When the
 * last hold is released the event is acknowledged: `done`, or `retry` when any hold was given back (promise 4).
 */
export interface Delivery {
  /** One more holder; release exactly once. */
  hold(): Hold;
  /** Holds not yet released. */
  readonly held: number;
}

export interface Hold {
  /** This holder has finished with the event. Twice does no harm. */
  done(): void;
  /** This holder could not finish: the event goes back to its origin once the others have released it. */
  giveBack(after?: Duration): void;
}

/** `onSettled` is told once, after the acknowledgement was called. */
export function createDelivery(ack: Acknowledgement | undefined, onSettled?: (outcome: "done" | "retry") => void): Delivery {
  let held = 0;
  let givenBack = false;
  let retryAfter: Duration | undefined;

  const release = (): void => {
    held -= 1;
    if (held > 0) return;
    if (givenBack) ack?.retry(retryAfter);
    else ack?.done();
    onSettled?.(givenBack ? "retry" : "done");
  };

  return {
    get held() {
      return held;
    },
    hold(): Hold {
      held += 1;
      let released = false;
      return {
        done(): void {
          if (released) return;
          released = true;
          release();
        },
        giveBack(after?: Duration): void {
          if (released) return;
          released = true;
          givenBack = true;
          retryAfter ??= after;
          release();
        },
      };
    },
  };
}
