/** A signal that a list hears. */
interface Heard {
  /** Waiters with it. */
  waiting: number;
}

/** Somebody who waits, and whose signal may end the wait; the list alone writes where he stands in it. */
export interface Waiter<W> {
  readonly signal: AbortSignal | undefined;
  readonly reject: (reason: unknown) => void;
  before?: W | undefined;
  after?: W | undefined;
  heard?: Heard | undefined;
}

/** Who waits, in the order in which they came. When a signal aborts, its waiters are out and rejected with its reason. */
export interface Waiters<W extends Waiter<W>> {
  readonly size: number;
  /** Who has waited longest; the others by `after`, which stays when a waiter goes. */
  readonly first: W | undefined;
  /** The signal must not have aborted. */
  add(waiter: W): void;
  /** He must be in the list. */
  delete(waiter: W): void;
  /** Takes all out, and lets go of their signals. */
  takeAll(): readonly W[];
}

/**
 * A list of links, and one listener a signal that stays from wait to wait: who waits often does so with one signal, and
 * a listener costs more than a wait.
 */
export function createWaiters<W extends Waiter<W>>(): Waiters<W> {
  let size = 0;
  let first: W | undefined;
  let last: W | undefined;
  const heard = new Map<AbortSignal, Heard>();

  const remove = (waiter: W): void => {
    size -= 1;
    if (waiter.heard !== undefined) waiter.heard.waiting -= 1;
    if (waiter.before === undefined) first = waiter.after;
    else waiter.before.after = waiter.after;
    if (waiter.after === undefined) last = waiter.before;
    else waiter.after.before = waiter.before;
  };

  const onAbort = ({ target }: Event): void => {
    const signal = target as AbortSignal;
    const own = heard.get(signal);
    heard.delete(signal);
    // Not to the end: of many who wait, each with a signal of his own, those who came first mostly abort first.
    for (let waiter = first; waiter !== undefined && own !== undefined && own.waiting > 0; waiter = waiter.after) {
      if (waiter.heard !== own) continue;
      remove(waiter);
      waiter.reject(signal.reason);
    }
  };

  /** Lets go of signals with which nobody waits. */
  const forgetIdle = (): void => {
    for (const [signal, { waiting }] of heard) {
      if (waiting > 0) continue;
      heard.delete(signal);
      signal.removeEventListener("abort", onAbort);
    }
  };

  const hear = (signal: AbortSignal): Heard => {
    const known = heard.get(signal);
    if (known !== undefined) return known;
    // Not each time: of many who wait, each may have a signal of his own.
    if (heard.size > 2 * size) forgetIdle();
    const own: Heard = { waiting: 0 };
    heard.set(signal, own);
    signal.addEventListener("abort", onAbort, { once: true });
    return own;
  };

  return {
    get size() {
      return size;
    },
    get first() {
      return first;
    },
    add(waiter): void {
      if (waiter.signal !== undefined) {
        waiter.heard = hear(waiter.signal);
        waiter.heard.waiting += 1;
      }
      waiter.before = last;
      if (last === undefined) first = waiter;
      else last.after = waiter;
      last = waiter;
      size += 1;
    },
    delete: remove,
    takeAll(): readonly W[] {
      const waiters: W[] = [];
      for (let waiter = first; waiter !== undefined; waiter = waiter.after) waiters.push(waiter);
      for (const waiter of waiters) remove(waiter);
      forgetIdle();
      return waiters;
    },
  };
}
