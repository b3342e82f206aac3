import type { Clock } from "farwatch";
import { ApiError } from "../failure/api-error.ts";

/**
 * Works on keys one after the other. A key that is added several times before its turn is worked on once; one that is
 * added while it is worked on is worked on again. What fails is tried again, later each time; disposal drops what waits
 * and ends when the work under way has.
 */
export interface KeyWorker extends AsyncDisposable {
  add(key: string): void;
}

export interface KeyWorkerOptions {
  readonly clock: Clock;
  /** Looks at the state of the world as it is now, and does what must be done about this key. */
  readonly work: (key: string) => Promise<void>;
  /** Told of each failure but of those that another's write explains. */
  readonly onFailure: (key: string, error: unknown) => void;
}

/** How often a key is tried again at once because somebody else was faster. */
const triesAtOnce = 5;
const firstDelayMs = 5;
const maxDelayMs = 60_000;

/** Starts to work when the first key is added. */
export function createKeyWorker({ clock, work, onFailure }: KeyWorkerOptions): KeyWorker {
  const waiting = new Set<string>();
  const failures = new Map<string, number>();
  const retries = new Set<Disposable>();
  let running: Promise<void> | undefined;
  let closed = false;

  const retry = (key: string, error: unknown): void => {
    const failed = (failures.get(key) ?? 0) + 1;
    failures.set(key, failed);
    if (isOvertaken(error) && failed <= triesAtOnce) {
      add(key);
      return;
    }
    const timer = clock.schedule(
      Math.min(maxDelayMs, firstDelayMs * 2 ** (failed - 1)),
      () => {
        retries.delete(timer);
        add(key);
      },
      { unref: true },
    );
    retries.add(timer);
  };
  const run = async (): Promise<void> => {
    // A change is told in the middle of the write that makes it: let that end first.
    await Promise.resolve();
    for (const key of waiting) {
      waiting.delete(key);
      if (closed) continue;
      try {
        await work(key);
        failures.delete(key);
      } catch (error) {
        if (closed) continue;
        if (!isOvertaken(error)) onFailure(key, error);
        retry(key, error);
      }
    }
    running = undefined;
  };
  const add = (key: string): void => {
    if (closed) return;
    waiting.add(key);
    running ??= run();
  };
  return {
    add,
    async [Symbol.asyncDispose](): Promise<void> {
      closed = true;
      for (const timer of retries) timer[Symbol.dispose]();
      retries.clear();
      await running;
    },
  };
}

/** Whether somebody else has changed, created or removed the object meanwhile. */
function isOvertaken(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 409 || error.code === 404);
}
