import type { Duration } from "../clock/duration.ts";
import { CodedError } from "../error/coded-error.ts";
import type { Acknowledgement } from "./source-event.ts";

/**
 * One event under way: it is held by every watch that has not mapped it yet and by every request that it caused. When
 * the last hold is released the event is acknowledged: `done`, or `retry` when any hold was given back (promise 4),
 * else `reject` when any was rejected.
 */
export interface Delivery {
  /**
   * One more holder; release exactly once.
   *
   * @throws CodedError `Internal` when the event is settled: it cannot be held again.
   */
  hold(): Hold;
  /** One of the requests that it waits for and whose last run failed. */
  readonly stuckOn: string | undefined;
}

/** Whose event it is, and its place among that source's events: of two the one with the higher place is the younger. */
export interface EventPlace {
  readonly source: object;
  readonly place: number;
}

export interface Hold {
  /** Undefined: the event is superseded by none, and supersedes none. */
  readonly from: EventPlace | undefined;
  /** One more hold on the same event, for a request that it caused; while this one is not released. */
  split(): Hold;
  /** This holder has finished with the event. Twice does no harm. */
  done(): void;
  /** This holder could not finish: the event goes back to its origin once the others have released it. */
  giveBack(after?: Duration): void;
  /** The event has no way through this holder, now or later. */
  reject(reason: unknown): void;
  /** The request that this holder waits for has failed, or, with undefined, fails no more. */
  stuckOn(request: string | undefined): void;
}

/** The hold on every event that nobody waits for: there is nothing to settle, so nobody need keep it. */
export const freeHold: Hold = {
  from: undefined,
  split: () => freeHold,
  done() {},
  giveBack() {},
  reject() {},
  stuckOn() {},
};

export interface DeliveryOptions {
  readonly from?: EventPlace | undefined;
  /** Told once, after the acknowledgement was called. */
  readonly onSettled?: (() => void) | undefined;
}

export function createDelivery(ack: Acknowledgement | undefined, { from, onSettled }: DeliveryOptions = {}): Delivery {
  let held = 0;
  let settled = false;
  let givenBack = false;
  let retryAfter: Duration | undefined;
  let rejected: { readonly reason: unknown } | undefined;
  /** What unreleased holds are stuck on; most events never are. */
  let stuck: Map<Hold, string> | undefined;

  const release = (released: Hold): void => {
    held -= 1;
    stuck?.delete(released);
    if (held > 0) return;
    settled = true;
    if (givenBack) ack?.retry(retryAfter);
    else if (rejected !== undefined && ack?.reject !== undefined) ack.reject(rejected.reason);
    else ack?.done();
    onSettled?.();
  };

  const hold = (): Hold => {
    if (settled)
      throw new CodedError("Internal", "Cannot hold an event: it is settled, split a hold before releasing it");
    held += 1;
    let released = false;
    const own: Hold = {
      from,
      split: hold,
      done(): void {
        if (released) return;
        released = true;
        release(own);
      },
      giveBack(after?: Duration): void {
        if (released) return;
        released = true;
        givenBack = true;
        retryAfter ??= after;
        release(own);
      },
      reject(reason): void {
        if (released) return;
        released = true;
        rejected ??= { reason };
        release(own);
      },
      stuckOn(request): void {
        if (released) return;
        if (request === undefined) {
          stuck?.delete(own);
          return;
        }
        stuck ??= new Map();
        stuck.set(own, request);
      },
    };
    return own;
  };

  return {
    get stuckOn() {
      return stuck?.values().next().value;
    },
    hold,
  };
}

/** One hold in place of several, for events of a source that became one: releasing it releases them all. */
export function joinHolds(holds: readonly Hold[]): Hold {
  const [first = freeHold, second] = holds;
  if (second === undefined) return first;
  return {
    from: holds.map(({ from }) => from).reduce(younger),
    split: () => joinHolds(holds.map((hold) => hold.split())),
    done(): void {
      for (const hold of holds) hold.done();
    },
    giveBack(after?: Duration): void {
      for (const hold of holds) hold.giveBack(after);
    },
    reject(reason): void {
      for (const hold of holds) hold.reject(reason);
    },
    stuckOn(request): void {
      for (const hold of holds) hold.stuckOn(request);
    },
  };
}

function younger(a: EventPlace | undefined, b: EventPlace | undefined): EventPlace | undefined {
  return a === undefined || (b !== undefined && b.place > a.place) ? b : a;
}
