interface Hub {
  readonly waiting: Set<() => void>;
  readonly listener: () => void;
}

const hubs = new WeakMap<AbortSignal, Hub>();

/**
 * Calls back when the signal aborts, until `forgetAbort`. However many wait on one signal, it carries one listener: a
 * long list of them is slow to search, and each one removed from it keeps those after it from the garbage collector for
 * a while.
 */
export function onAbort(signal: AbortSignal, run: () => void): void {
  const known = hubs.get(signal);
  if (known !== undefined) {
    known.waiting.add(run);
    return;
  }
  const waiting = new Set([run]);
  const listener = (): void => {
    for (const waiter of waiting) waiter();
    hubs.delete(signal);
  };
  hubs.set(signal, { waiting, listener });
  signal.addEventListener("abort", listener, { once: true });
}

export function forgetAbort(signal: AbortSignal, run: () => void): void {
  const hub = hubs.get(signal);
  if (hub === undefined) return;
  hub.waiting.delete(run);
  if (hub.waiting.size > 0) return;
  // A signal that waits for others lives as long as somebody listens to it.
  hubs.delete(signal);
  signal.removeEventListener("abort", hub.listener);
}
