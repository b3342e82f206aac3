import type { Duration } from "../clock/duration.ts";
import { CodedError } from "../error/coded-error.ts";
import type { Acknowledgement } from "./source-event.ts";

/**
 * One event under way: it is held by every watch that has not mapped it yet and by every request that it caused. When the
 * last hold is released the event is acknowledged: `done`, or `retry` when any hold was given back (promise 4).
 */
export interface Delivery {
  /**
   * One more holder; release exactly once.
   *
   * @throws CodedError `Internal` when the event is settled: it cannot be held again.
   */
  hold(): Hold;
  /** Holds not yet released. */
  readonly held: number;
}

export interface Hold {
  /** One more hold on the same event, for a request that it caused; while this one is not released. */
  split(): Hold;
  /** This holder has finished with the event. Twice does no harm. */
  done(): void;
  /** This holder could not finish: the event goes back to its origin once the others have released it. */
  giveBack(after?: Duration): void;
}

/** The hold on every event that nobody waits for: there is nothing to settle, so nobody need keep it. */
export const freeHold: Hold = { split: () => freeHold, done() {}, giveBack() {} };

/** `onSettled` is told once, after the acknowledgement was called. */
export function createDelivery(
  ack: Acknowledgement | undefined,
  onSettled?: (outcome: "done" | "retry") => void,
): Delivery {
  let held = 0;
  let settled = false;
  let givenBack = false;
  let retryAfter: Duration | undefined;

  const release = (): void => {
    held -= 1;
    if (held > 0) return;
    settled = true;
    if (givenBack) ack?.retry(retryAfter);
    else ack?.done();
    onSettled?.(givenBack ? "retry" : "done");
  };

  const hold = (): Hold => {
    if (settled)
      throw new CodedError("Internal", "Cannot hold an event: it is settled, split a hold before releasing it");
    held += 1;
    let released = false;
    return {
      split: hold,
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
  };

  return {
    get held() {
      return held;
    },
    hold,
  };
}

/** One hold in place of several, for events that became one: releasing it releases them all. */
export function joinHolds(holds: readonly Hold[]): Hold {
  const [first = freeHold, second] = holds;
  if (second === undefined) return first;
  return {
    split: () => joinHolds(holds.map((hold) => hold.split())),
    done(): void {
      for (const hold of holds) hold.done();
    },
    giveBack(after?: Duration): void {
      for (const hold of holds) hold.giveBack(after);
    },
  };
}
