/**
 * Owns the tasks started in it: none outlives the scope, none fails unseen. The first task that throws aborts its
 * siblings, and `join` rejects with what it threw.
 */
export interface TaskScope extends AsyncDisposable {
  /** Aborted by `abort`, by the parent signal, by the first task that throws, or by disposal. */
  readonly signal: AbortSignal;
  /** The names of tasks that have not ended. */
  readonly running: readonly string[];
  /** What tasks have thrown, in order: the first is what `join` rejects with, the others threw on their way out. */
  readonly failures: readonly unknown[];
  /**
   * Starts a task in the same tick; once the scope was aborted, with a signal that says so. A throw of the signal's own
   * reason after it aborted is an end, not a failure.
   */
  run(name: string, task: (signal: AbortSignal) => Promise<void>): void;
  /** Asks every task to end. */
  abort(reason?: unknown): void;
  /** Resolves when all tasks, those started meanwhile too, have ended; rejects with the first failure. */
  join(): Promise<void>;
  /** Aborts, then joins; a failure that a `join` has already thrown is not thrown once more. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A scope without tasks, which aborts with the parent signal. Dispose of it, or abort it, to let go of the parent. */
export function createTaskScope(parent?: AbortSignal): TaskScope {
  const controller = new AbortController();
  const { signal } = controller;
  const tasks = new Map<Promise<void>, string>();
  const failures: unknown[] = [];
  let thrown = false;

  const abort = (reason?: unknown): void => {
    parent?.removeEventListener("abort", onParentAbort);
    if (!signal.aborted) controller.abort(reason);
  };
  const onParentAbort = (): void => abort(parent?.reason);
  if (parent?.aborted) abort(parent.reason);
  else parent?.addEventListener("abort", onParentAbort, { once: true });

  const ended = async (): Promise<void> => {
    while (tasks.size > 0) await Promise.all(tasks.keys());
  };
  const throwFirst = (): void => {
    if (failures.length === 0) return;
    thrown = true;
    throw failures[0];
  };

  const start = async (task: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    try {
      await task(signal);
    } catch (error) {
      if (signal.aborted && error === signal.reason) return;
      failures.push(error);
      abort(error);
    }
  };

  return {
    signal,
    failures,
    get running() {
      return [...tasks.values()];
    },
    abort,
    async join(): Promise<void> {
      await ended();
      throwFirst();
    },
    run(name, task): void {
      const running = start(task).then(() => {
        tasks.delete(running);
      });
      tasks.set(running, name);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      abort();
      await ended();
      // `await using` would wrap the error that is on its way out and this same one into a SuppressedError.
      if (!thrown) throwFirst();
    },
  };
}
