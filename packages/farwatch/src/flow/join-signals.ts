/**
 * One signal for two: aborts with the reason of whichever aborts first. Dispose of it when the work is done: it hangs
 * on both.
 */
export function joinSignals(first: AbortSignal, second: AbortSignal): AbortSignal & Disposable {
  const controller = new AbortController();
  const dispose = (): void => {
    first.removeEventListener("abort", abort);
    second.removeEventListener("abort", abort);
  };
  const abort = (): void => {
    dispose();
    controller.abort(first.aborted ? first.reason : second.reason);
  };
  if (first.aborted || second.aborted) abort();
  else {
    first.addEventListener("abort", abort, { once: true });
    second.addEventListener("abort", abort, { once: true });
  }
  return Object.assign(controller.signal, { [Symbol.dispose]: dispose });
}
