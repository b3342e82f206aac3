import { type Backoff, backoff } from "../clock/backoff.ts";
import type { Clock } from "../clock/clock.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import { CodedError } from "../error/coded-error.ts";
import { freeHold, type Hold } from "../event/delivery.ts";
import { priorities, type Request } from "../event/request.ts";
import { formatKey } from "../wire/object.ts";
import { addCause } from "./causes.ts";
import { createKeyMap } from "./key-map.ts";
import { createSchedule, type Due, earlier, type Slot } from "./schedule.ts";
import type { AddOptions, Outcome, Work, WorkQueue } from "./work-queue.ts";

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** A request that has waited this long goes before younger ones of any lane; default 10 s. */
  readonly maxWait?: Duration | undefined;
  /** Requests of one namespace that workers have at the same time; default: any number. */
  readonly namespaceConcurrency?: number | undefined;
  /** Delay of a request that failed; default 200 ms doubling to 5 min, equal jitter. */
  readonly backoff?: { readonly initial?: Duration | undefined; readonly max?: Duration | undefined } | undefined;
  /** Told of what metrics count. */
  readonly observer?: WorkQueueObserver | undefined;
}

export interface WorkQueueObserver {
  added(): void;
  /** A request failed and will be tried again. */
  retried(): void;
}

/** What the queue knows of one key; it is forgotten when nothing is pending and no worker has it. */
interface Entry extends Slot<Entry> {
  readonly key: string;
  readonly request: Request;
  /** The run that comes next, unless a worker has the key: then it is put off until that run ends. */
  due: Due | undefined;
  running: Running | undefined;
  /** Failures in a row. */
  failures: number;
  /** What the next run will settle; of each source one. */
  causes: Hold[];
}

/** A work that was handed out, with what it will settle: causes added during the run belong to the next. */
interface Running extends Work {
  readonly entry: Entry;
  readonly causes: readonly Hold[];
}

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock, observer } = options;
  const delays: Backoff = backoff({
    initial: options.backoff?.initial ?? "200ms",
    max: options.backoff?.max ?? "5m",
    jitter: "equal",
    random: clock.random,
  });
  const entries = createKeyMap<Entry>();
  const schedule = createSchedule<Entry>({
    clock,
    maxWaitMs: toMs(options.maxWait ?? "10s"),
    // Without a limit there is one group, whose lanes are those of all requests.
    groupOf: ({ request }) => (options.namespaceConcurrency === undefined ? "" : (request.namespace ?? "")),
    concurrency: options.namespaceConcurrency ?? Number.POSITIVE_INFINITY,
    onReady: () => wakeTakers(),
  });
  const takers = new Set<(work: Work | undefined) => void>();
  /** `handOut` is to come in this turn of the event loop. */
  let waking = false;
  let down = false;

  const take = (): Running | undefined => {
    const nowMs = clock.elapsed();
    const ticket = schedule.take(nowMs);
    if (ticket === undefined) return undefined;
    const entry = ticket.item;
    const work: Running = {
      entry,
      request: entry.request,
      key: entry.key,
      attempt: entry.failures + 1,
      waitedMs: nowMs - ticket.sinceMs,
      priority: ticket.priority,
      causes: entry.causes,
    };
    entry.causes = [];
    entry.running = work;
    return work;
  };

  const handOut = (): void => {
    waking = false;
    for (const taker of takers) {
      const work = take();
      if (work === undefined) return;
      takers.delete(taker);
      taker(work);
    }
  };

  /**
   * Not at once, but when nothing is left that can go on without waiting: requests that have arrived already are in the
   * queue before a worker takes one, so that those of one key make one run.
   */
  const wakeTakers = (): void => {
    if (waking || takers.size === 0) return;
    waking = true;
    process.nextTick(handOut);
  };

  const settle = (entry: Entry, next: Due | undefined): void => {
    const due = next === undefined ? entry.due : earlier(entry.due, next);
    entry.due = undefined;
    if (due === undefined) entries.delete(entry.request);
    else schedule.place(entry, due);
  };

  /** What the run that ended was to settle waits for the next one, with what has come meanwhile. */
  const carryOver = (entry: Entry, causes: readonly Hold[]): void => {
    const newer = entry.causes;
    entry.causes = [...causes];
    for (const cause of newer) addCause(entry.causes, cause);
  };

  const recover = (entry: Entry): void => {
    if (entry.failures > 0) for (const cause of entry.causes) cause.stuckOn(undefined);
    entry.failures = 0;
  };

  const giveBackAll = (causes: readonly Hold[]): void => {
    for (const cause of causes) cause.giveBack();
  };

  const forget = (entry: Entry): void => {
    giveBackAll(entry.causes);
    entries.delete(entry.request);
  };

  return {
    add(request: Request, { afterMs = 0, priority = priorities.normal, cause }: AddOptions = {}): void {
      if (down) {
        cause?.giveBack();
        return;
      }
      let entry = entries.get(request);
      if (entry === undefined) {
        const { name, namespace = "" } = request;
        const own = namespace === "" ? { name } : { namespace, name };
        entry = {
          key: formatKey(own),
          request: own,
          due: undefined,
          ticket: undefined,
          timer: undefined,
          running: undefined,
          failures: 0,
          causes: [],
        };
        entries.set(own, entry);
      }
      // Of a key that fails for hours, what settles nothing must not pile up.
      if (cause !== undefined && cause !== freeHold) {
        addCause(entry.causes, cause);
        if (entry.failures > 0) cause.stuckOn(entry.key);
      }
      observer?.added();
      if (entry.running !== undefined) entry.due = earlier(entry.due, schedule.dueAfter(afterMs, priority));
      else if (entry.ticket !== undefined) schedule.raise(entry.ticket, priority);
      else schedule.place(entry, schedule.dueAfter(afterMs, priority));
    },

    next(): Promise<Work | undefined> {
      if (down) return Promise.resolve(undefined);
      const work = take();
      if (work !== undefined) return Promise.resolve(work);
      return new Promise((resolve) => {
        takers.add(resolve);
      });
    },

    finish(work: Work, outcome: Outcome): void {
      const { entry, causes } = work as Running;
      if (entry.running !== work) {
        throw new CodedError("Internal", `Cannot finish ${entry.key}: this work was finished before`);
      }
      entry.running = undefined;
      schedule.ended(entry);
      if (down) {
        if (outcome.type === "done" || outcome.type === "ended") for (const cause of causes) cause.done();
        else giveBackAll(causes);
        forget(entry);
        return;
      }
      switch (outcome.type) {
        case "done": {
          const { requeueAfterMs, priority = priorities.normal } = outcome;
          recover(entry);
          settle(entry, requeueAfterMs === undefined ? undefined : schedule.dueAfter(requeueAfterMs, priority));
          for (const cause of causes) cause.done();
          return;
        }
        case "ended":
          recover(entry);
          settle(entry, undefined);
          for (const cause of causes) cause.done();
          return;
        case "failed":
          entry.failures += 1;
          carryOver(entry, causes);
          for (const cause of entry.causes) cause.stuckOn(entry.key);
          observer?.retried();
          settle(entry, schedule.dueAfter(outcome.afterMs ?? delays.delayMs(entry.failures), work.priority));
          return;
        case "again":
          carryOver(entry, causes);
          settle(entry, schedule.dueAfter(0, work.priority));
          return;
        case "givenBack":
          giveBackAll(causes);
          forget(entry);
      }
    },

    get depth() {
      return schedule.ready;
    },
    get delayed() {
      return schedule.waiting;
    },

    shutDown(): void {
      if (down) return;
      down = true;
      schedule.stop();
      for (const entry of entries.values()) {
        if (entry.running !== undefined) continue;
        forget(entry);
      }
      for (const taker of takers) taker(undefined);
      takers.clear();
    },
  };
}
