import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { DayResult } from "./history.ts";
import type { MutantName } from "./mutant.ts";

export interface AskedDay {
  readonly seed: number;
  readonly mutant?: MutantName | undefined;
}

export type PlayedDay =
  | { readonly seed: number; readonly result: DayResult }
  | { readonly seed: number; readonly error: string };

/** Threads that play days side by side, one for each core. A day is the same in whichever it is played. */
export interface DayPool extends AsyncDisposable {
  /** Days are begun in the order in which they are asked for. Rejects when the day could not be played to its end. */
  play(day: AskedDay): Promise<DayResult>;
}

interface Job {
  readonly day: AskedDay;
  readonly played: PromiseWithResolvers<DayResult>;
}

export function createDayPool(): DayPool {
  const waiting: Job[] = [];
  const workers = Array.from({ length: availableParallelism() }, () => new PoolWorker(() => waiting.shift()));
  return {
    play(day): Promise<DayResult> {
      const played = Promise.withResolvers<DayResult>();
      // Whoever asks for many looks at them one after the other.
      played.promise.catch(() => {});
      waiting.push({ day, played });
      workers.find((worker) => worker.isIdle)?.goOn();
      return played.promise;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
      for (const { played } of waiting) played.reject(new Error("the pool has been disposed of"));
    },
  };
}

class PoolWorker implements AsyncDisposable {
  readonly #next: () => Job | undefined;
  #thread: Worker | undefined;
  #job: Job | undefined;

  constructor(next: () => Job | undefined) {
    this.#next = next;
  }

  get isIdle(): boolean {
    return this.#job === undefined;
  }

  goOn(): void {
    this.#job = this.#next();
    if (this.#job === undefined) return;
    this.#thread ??= this.#start();
    this.#thread.postMessage(this.#job.day);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#job?.played.reject(new Error("the pool has been disposed of"));
    await this.#thread?.terminate();
  }

  #start(): Worker {
    // Nothing of what the test runner has told this process.
    const execArgv = process.execArgv.filter((arg) => arg.startsWith("--conditions"));
    const thread = new Worker(new URL("./day-worker.ts", import.meta.url), { execArgv });
    thread.on("message", (played: PlayedDay) => {
      if ("result" in played) this.#job?.played.resolve(played.result);
      else this.#job?.played.reject(new Error(`the day of seed ${played.seed} did not end: ${played.error}`));
      this.goOn();
    });
    thread.on("error", (error) => this.#job?.played.reject(error));
    return thread;
  }
}
