interface Flight<T> {
  readonly landed: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Makes one run serve all callers that ask while it is under way. A caller whose signal aborts leaves with its reason;
 * when the last one has left, the run's own signal aborts, and whoever asks next starts another.
 */
export function singleFlight<T>(run: (signal: AbortSignal) => Promise<T>): (signal?: AbortSignal) => Promise<T> {
  let flight: Flight<T> | undefined;

  const takeOff = (): Flight<T> => {
    const controller = new AbortController();
    const landed = (async () => run(controller.signal))();
    const started = { landed, controller, waiting: 0 };
    const clear = (): void => {
      if (flight === started) flight = undefined;
    };
    // Registered before any caller's, so that a caller that asks again at once gets a new run.
    landed.then(clear, clear);
    return started;
  };

  return (signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      flight ??= takeOff();
      const boarded = flight;
      boarded.waiting += 1;
      const leave = (): void => {
        boarded.waiting -= 1;
        if (boarded.waiting === 0) {
          if (flight === boarded) flight = undefined;
          boarded.controller.abort(signal?.reason);
        }
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      boarded.landed.then(resolve, reject).finally(() => signal?.removeEventListener("abort", leave));
    });
}
