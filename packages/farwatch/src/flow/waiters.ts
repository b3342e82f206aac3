/** Somebody who waits, and whose signal may end the wait. */
export interface Waiter {
  readonly signal: AbortSignal | undefined;
  readonly reject: (reason: unknown) => void;
}

/** Who waits, in the order in which they came. When a signal aborts, its waiters are out and rejected with its reason. */
export interface Waiters<W extends Waiter> extends Iterable<W> {
  readonly size: number;
  /** The signal must not have aborted. */
  add(waiter: W): void;
  delete(waiter: W): void;
  /** Takes all out, and lets go of their signals. */
  takeAll(): readonly W[];
}

export function createWaiters<W extends Waiter>(): Waiters<W> {
  const all = new Set<W>();
  /** A signal stays when its waiter goes: who waits often does so with one, and each listener costs more than a wait. */
  const bySignal = new Map<AbortSignal, Set<W>>();

  const onAbort = ({ target }: Event): void => {
    const signal = target as AbortSignal;
    const waiters = bySignal.get(signal) ?? [];
    bySignal.delete(signal);
    for (const waiter of waiters) {
      all.delete(waiter);
      waiter.reject(signal.reason);
    }
  };

  const forgetIdle = (): void => {
    for (const [signal, waiters] of bySignal) {
      if (waiters.size > 0) continue;
      bySignal.delete(signal);
      signal.removeEventListener("abort", onAbort);
    }
  };

  const waitersOf = (signal: AbortSignal): Set<W> => {
    const known = bySignal.get(signal);
    if (known !== undefined) return known;
    // Not each time: of many who wait, each may have a signal of his own.
    if (bySignal.size > 2 * all.size) forgetIdle();
    const waiters = new Set<W>();
    bySignal.set(signal, waiters);
    signal.addEventListener("abort", onAbort, { once: true });
    return waiters;
  };

  const remove = (waiter: W): void => {
    all.delete(waiter);
    if (waiter.signal !== undefined) bySignal.get(waiter.signal)?.delete(waiter);
  };

  return {
    get size() {
      return all.size;
    },
    add(waiter): void {
      if (waiter.signal !== undefined) waitersOf(waiter.signal).add(waiter);
      all.add(waiter);
    },
    delete: remove,
    takeAll(): readonly W[] {
      const waiters = [...all];
      for (const waiter of waiters) remove(waiter);
      forgetIdle();
      return waiters;
    },
    [Symbol.iterator]: () => all.values(),
  };
}
