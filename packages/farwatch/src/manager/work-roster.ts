import type { Fence } from "../client/connected-client.ts";
import type { Controller } from "../controller/controller.ts";
import { CodedError } from "../error/coded-error.ts";
import { joinSignals } from "../flow/join-signals.ts";
import type { TaskScope } from "../flow/task-scope.ts";
import { createRetiredNames } from "../observe/retired-names.ts";
import { type SourceScope, scopeOf } from "../source/source-scope.ts";
import { endsInTime } from "./grace.ts";
import type { Runnable } from "./runnable.ts";
import { controllerWork, runnableWork, type Work, type WorkTask, type WorkTools } from "./work.ts";

export interface WorkRosterOptions extends WorkTools {
  /** How long work may take to end once it was removed. */
  readonly graceMs: number;
}

/** The controllers and runnables of a manager: what is to run on every replica, and what on the leader. */
export interface WorkRoster {
  /** The first controller or, without any, the first runnable for the leader: the Lease is named for it. */
  readonly first: string | undefined;
  /**
   * Starts it at once where its scope is open, else when that is opened.
   *
   * @throws CodedError `DuplicateName` when work of that name is there, or another source of a name that it watches;
   *   `InvalidOption` when it is no work.
   */
  add(added: Controller | Runnable): void;
  /**
   * Stops it, and resolves when it has let go of all that it held: then its name is free. Rejects with what it throws
   * meanwhile.
   *
   * @throws CodedError `NotFound` when it is not there; `ShutdownTimeout` when it goes on after the grace: it is still
   * there then.
   */
  remove(added: Controller | Runnable): Promise<void>;
  /** Starts the work of a scope as tasks, with what is added later, until the tasks' signal aborts. */
  open(scope: SourceScope, tasks: TaskScope, fence?: Fence): void;
  /** Names what still runs among tasks, down to the requests of a controller and each of the `sources`. */
  describeRunning(tasks: TaskScope): string;
  sample(): void;
}

interface Entry {
  readonly added: Controller | Runnable;
  readonly work: Work;
  readonly removed: AbortController;
  /** What runs of it; none rejects. */
  readonly running: Set<Promise<void>>;
  /** What was thrown after the removal. */
  failure: { readonly error: unknown } | undefined;
  leaving: Promise<void> | undefined;
}

/** Where work is started, and with which fence. */
interface Opened {
  readonly tasks: TaskScope;
  readonly fence: Fence | undefined;
}

export function isForLeader(added: Controller | Runnable): boolean {
  return scopeOf("start" in added ? added : added.options) === "leader";
}

export function createWorkRoster(options: WorkRosterOptions): WorkRoster {
  const { clock, log, graceMs } = options;
  const entries = new Set<Entry>();
  const retired = createRetiredNames(options.metrics, "controller");
  const opened = new Map<SourceScope, Opened>();

  const start = (entry: Entry, task: WorkTask, { tasks, fence }: Opened): void => {
    const { removed } = entry;
    if (removed.signal.aborted) return;
    const ended = Promise.withResolvers<void>();
    entry.running.add(ended.promise);
    tasks.run(task.name, async (signal) => {
      using stop = joinSignals(signal, removed.signal);
      try {
        await task.run(stop, fence);
      } catch (error) {
        // What fails while it is removed concerns who removes it, and stops nobody else.
        if (signal.aborted || !removed.signal.aborted) throw error;
        if (error !== removed.signal.reason) entry.failure ??= { error };
      } finally {
        entry.running.delete(ended.promise);
        ended.resolve();
      }
    });
  };

  const startWhereOpen = (entry: Entry): void => {
    for (const task of entry.work.tasks) {
      const where = opened.get(task.scope);
      if (where !== undefined) start(entry, task, where);
    }
  };

  const workOf = (added: Controller | Runnable): Work => {
    const { name } = added;
    if ("start" in added) return runnableWork(added, options);
    if (added.options?.for !== undefined) return controllerWork(added, options);
    throw new CodedError(
      "InvalidOption",
      `Cannot add ${name}: it is neither a controller nor a runnable, give what defineController gives or an object with \`start\``,
    );
  };

  /** Resolves when nothing is left of it. */
  const leave = async (entry: Entry): Promise<void> => {
    entry.removed.abort(new DOMException(`${entry.work.name} was removed from its manager`, "AbortError"));
    await Promise.all(entry.running);
    await entry.work[Symbol.asyncDispose]();
    entries.delete(entry);
    retired.retire(entry.work.name);
    log.info("Removed work", { work: entry.work.name });
    if (entry.failure === undefined) return;
    log.warn("Removed work ended with an error", { work: entry.work.name, error: entry.failure.error });
    throw entry.failure.error;
  };

  return {
    get first() {
      const all = [...entries].map(({ added }) => added);
      return (all.find((added) => !("start" in added)) ?? all.find(isForLeader))?.name;
    },
    add(added): void {
      for (const { work } of entries) {
        if (work.name !== added.name) continue;
        throw new CodedError(
          "DuplicateName",
          `Cannot add ${added.name}: a controller or runnable of that name was added before, give one of them another name`,
        );
      }
      const entry: Entry = {
        added,
        work: workOf(added),
        removed: new AbortController(),
        running: new Set(),
        failure: undefined,
        leaving: undefined,
      };
      entries.add(entry);
      retired.use(added.name);
      startWhereOpen(entry);
    },
    async remove(added): Promise<void> {
      const entry = [...entries].find((one) => one.added === added);
      if (entry === undefined) {
        throw new CodedError(
          "NotFound",
          `Cannot remove ${added.name}: this manager does not have it, give what was added`,
        );
      }
      entry.leaving ??= leave(entry);
      if (await endsInTime(entry.leaving, entry.removed.signal, graceMs, clock)) return;
      const underWay = entry.work.tasks.flatMap((task) => task.underWay);
      throw new CodedError(
        "ShutdownTimeout",
        `Cannot remove ${added.name} within ${graceMs} ms: it still runs${underWay.length === 0 ? "" : ` (${underWay.join(", ")})`}; let it honour ctx.signal, or raise gracefulShutdownTimeout`,
      );
    },
    open(scope, tasks, fence): void {
      const where = { tasks, fence };
      opened.set(scope, where);
      tasks.signal.addEventListener("abort", () => opened.delete(scope), { once: true });
      for (const entry of entries) {
        for (const task of entry.work.tasks) if (task.scope === scope) start(entry, task, where);
      }
    },
    describeRunning(tasks): string {
      const sources = { name: "sources", underWay: options.hub.closing };
      const known = [sources, ...[...entries].flatMap(({ work }) => work.tasks)];
      return tasks.running
        .map((name) => {
          const underWay = known.find((task) => task.name === name)?.underWay ?? [];
          return underWay.length === 0 ? name : `${name} (${underWay.join(", ")})`;
        })
        .join(", ");
    },
    sample(): void {
      for (const { work } of entries) work.sample();
    },
  };
}
