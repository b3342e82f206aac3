/**
 * Owns the tasks started in it: none outlives the scope, none fails unseen. The first task that throws aborts its
 * siblings, and `join` rejects with what it threw.
 */
export interface TaskScope extends AsyncDisposable {
  /** Aborted by `abort`, by the parent signal, by the first task that throws, or by disposal. */
  readonly signal: AbortSignal;
  /** The names of tasks that have not ended. */
  readonly running: readonly string[];
  /** Starts a task in the same tick. A throw after the scope was aborted with the signal's own reason is an end, not a failure. */
  run(name: string, task: (signal: AbortSignal) => Promise<void>): void;
  /** Asks every task to end. */
  abort(reason?: unknown): void;
  /** Resolves when all tasks, those started meanwhile too, have ended; rejects with the first failure. */
  join(): Promise<void>;
}

export function createTaskScope(parent?: AbortSignal): TaskScope {
  const controller = new AbortController();
  const { signal } = controller;
  const tasks = new Map<Promise<void>, string>();
  let failure: { readonly error: unknown } | undefined;

  const abort = (reason?: unknown): void => {
    parent?.removeEventListener("abort", onParentAbort);
    if (!signal.aborted) controller.abort(reason);
  };
  const onParentAbort = (): void => abort(parent?.reason);
  if (parent?.aborted) abort(parent.reason);
  else parent?.addEventListener("abort", onParentAbort, { once: true });

  const join = async (): Promise<void> => {
    while (tasks.size > 0) await Promise.all(tasks.keys());
    if (failure !== undefined) throw failure.error;
  };

  return {
    signal,
    get running() {
      return [...tasks.values()];
    },
    abort,
    join,
    run(name, task): void {
      const ended = task(signal).then(
        () => {
          tasks.delete(ended);
        },
        (error: unknown) => {
          tasks.delete(ended);
          if (signal.aborted && error === signal.reason) return;
          failure ??= { error };
          abort(error);
        },
      );
      tasks.set(ended, name);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      abort();
      await join();
    },
  };
}
