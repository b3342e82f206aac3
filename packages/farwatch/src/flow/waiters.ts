/** Somebody who waits, and whose signal may end the wait; the list alone writes where he stands in it. */
export interface Waiter<W> {
  readonly signal: AbortSignal | undefined;
  readonly reject: (reason: unknown) => void;
  before?: W | undefined;
  after?: W | undefined;
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
  const heard = new Set<AbortSignal>();

  const all = (): readonly W[] => {
    const waiters: W[] = [];
    for (let waiter = first; waiter !== undefined; waiter = waiter.after) waiters.push(waiter);
    return waiters;
  };

  const remove = (waiter: W): void => {
    size -= 1;
    if (waiter.before === undefined) first = waiter.after;
    else waiter.before.after = waiter.after;
    if (waiter.after === undefined) last = waiter.before;
    else waiter.after.before = waiter.before;
  };

  const onAbort = ({ target }: Event): void => {
    const signal = target as AbortSignal;
    heard.delete(signal);
    for (const waiter of all()) {
      if (waiter.signal !== signal) continue;
      remove(waiter);
      waiter.reject(signal.reason);
    }
  };

  /** Lets go of signals with which nobody waits. */
  const forgetIdle = (): void => {
    const waiting = new Set(all().map(({ signal }) => signal));
    for (const signal of heard) {
      if (waiting.has(signal)) continue;
      heard.delete(signal);
      signal.removeEventListener("abort", onAbort);
    }
  };

  const hear = (signal: AbortSignal): void => {
    if (heard.has(signal)) return;
    // Not each time: of many who wait, each may have a signal of his own.
    if (heard.size > 2 * size) forgetIdle();
    heard.add(signal);
    signal.addEventListener("abort", onAbort, { once: true });
  };

  return {
    get size() {
      return size;
    },
    get first() {
      return first;
    },
    add(waiter): void {
      if (waiter.signal !== undefined) hear(waiter.signal);
      waiter.before = last;
      if (last === undefined) first = waiter;
      else last.after = waiter;
      last = waiter;
      size += 1;
    },
    delete: remove,
    takeAll(): readonly W[] {
      const waiters = all();
      size = 0;
      first = undefined;
      last = undefined;
      forgetIdle();
      return waiters;
    },
  };
}
