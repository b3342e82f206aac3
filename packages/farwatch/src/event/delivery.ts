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

export function createDelivery(ack: Acknowledgement | undefined, options: DeliveryOptions = {}): Delivery {
  return new OpenDelivery(ack, options);
}

/** A class, as its holds are: each event makes some of them. */
class OpenDelivery implements Delivery {
  readonly from: EventPlace | undefined;
  readonly #ack: Acknowledgement | undefined;
  readonly #onSettled: (() => void) | undefined;
  #held = 0;
  #settled = false;
  #givenBack = false;
  #retryAfter: Duration | undefined;
  #rejected: { readonly reason: unknown } | undefined;
  /** What unreleased holds are stuck on; most events never are. */
  #stuck: Map<Hold, string> | undefined;

  constructor(ack: Acknowledgement | undefined, { from, onSettled }: DeliveryOptions) {
    this.#ack = ack;
    this.from = from;
    this.#onSettled = onSettled;
  }

  get stuckOn(): string | undefined {
    return this.#stuck?.values().next().value;
  }

  hold(): Hold {
    if (this.#settled)
      throw new CodedError("Internal", "Cannot hold an event: it is settled, split a hold before releasing it");
    this.#held += 1;
    return new OwnHold(this);
  }

  giveBack(after: Duration | undefined): void {
    this.#givenBack = true;
    this.#retryAfter ??= after;
  }

  reject(reason: unknown): void {
    this.#rejected ??= { reason };
  }

  stick(hold: Hold, request: string | undefined): void {
    if (request === undefined) this.#stuck?.delete(hold);
    else {
      this.#stuck ??= new Map();
      this.#stuck.set(hold, request);
    }
  }

  release(hold: Hold): void {
    this.#held -= 1;
    this.#stuck?.delete(hold);
    if (this.#held > 0) return;
    this.#settled = true;
    const ack = this.#ack;
    if (this.#givenBack) ack?.retry(this.#retryAfter);
    else if (this.#rejected !== undefined && ack?.reject !== undefined) ack.reject(this.#rejected.reason);
    else ack?.done();
    this.#onSettled?.();
  }
}

class OwnHold implements Hold {
  /** Undefined once released. */
  #delivery: OpenDelivery | undefined;
  readonly #origin: OpenDelivery;

  constructor(delivery: OpenDelivery) {
    this.#delivery = delivery;
    this.#origin = delivery;
  }

  get from(): EventPlace | undefined {
    return this.#origin.from;
  }

  split(): Hold {
    return this.#origin.hold();
  }

  done(): void {
    this.#take()?.release(this);
  }

  giveBack(after?: Duration): void {
    const delivery = this.#take();
    delivery?.giveBack(after);
    delivery?.release(this);
  }

  reject(reason: unknown): void {
    const delivery = this.#take();
    delivery?.reject(reason);
    delivery?.release(this);
  }

  stuckOn(request: string | undefined): void {
    this.#delivery?.stick(this, request);
  }

  #take(): OpenDelivery | undefined {
    const delivery = this.#delivery;
    this.#delivery = undefined;
    return delivery;
  }
}

/** One hold in place of several, for events of a source that became one: releasing it releases them all. */
export function joinHolds(holds: readonly Hold[]): Hold {
  // Free holds release nothing: without this a tick that merges for hours would grow a list of them.
  const held = holds
    .flatMap((hold) => (hold instanceof JoinedHold ? hold.holds : hold))
    .filter((hold) => hold !== freeHold);
  const [first = freeHold, second] = held;
  return second === undefined ? first : new JoinedHold(held);
}

class JoinedHold implements Hold {
  readonly holds: readonly Hold[];
  readonly from: EventPlace | undefined;

  constructor(holds: readonly Hold[]) {
    this.holds = holds;
    this.from = holds.map(({ from }) => from).reduce(younger);
  }

  split(): Hold {
    return new JoinedHold(this.holds.map((hold) => hold.split()));
  }

  done(): void {
    for (const hold of this.holds) hold.done();
  }

  giveBack(after?: Duration): void {
    for (const hold of this.holds) hold.giveBack(after);
  }

  reject(reason: unknown): void {
    for (const hold of this.holds) hold.reject(reason);
  }

  stuckOn(request: string | undefined): void {
    for (const hold of this.holds) hold.stuckOn(request);
  }
}

function younger(a: EventPlace | undefined, b: EventPlace | undefined): EventPlace | undefined {
  return a === undefined || (b !== undefined && b.place > a.place) ? b : a;
}
