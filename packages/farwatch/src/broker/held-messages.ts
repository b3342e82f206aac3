import { backoff } from "../clock/backoff.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import { isCodedError } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { createDoorbell } from "../flow/doorbell.ts";
import { createTaskScope } from "../flow/task-scope.ts";
import { readProblem } from "../source/read-problem.ts";
import type { SourceHealth } from "../source/source.ts";
import { createSourceMetrics } from "../source/source-metrics.ts";
import type { BrokerMessage } from "./broker-message.ts";
import { createDeadLetters, type DeadLettersOptions } from "./dead-letters.ts";

export interface HeldMessagesOptions<M> extends DeadLettersOptions {
  /** Told that the source fails while the broker lets nothing be settled. */
  readonly health: Pick<SourceHealth, "failing" | "serving" | "blocked">;
  readonly maxUnacknowledged: number;
  /** Of all that are held together. */
  readonly maxUnacknowledgedBytes: number;
  /** How the broker is kept from handing a message over again while it is held. */
  readonly extend?:
    | {
        /** Well below the broker's deadline: a turn may fail, and comes again after this. */
        readonly every: Duration;
        /** Starts the deadline of all that are held over; called while there are any. */
        run(held: readonly M[]): Promise<void>;
        /** The broker's own cap on holding a message: before it is reached the message is given back, and counted. */
        readonly longest?: Duration | undefined;
      }
    | undefined;
}

/**
 * The messages of one opening of a broker's source that are not settled yet. It makes events of them, settles each once
 * at the broker, and keeps the broker from handing them over a second time meanwhile. One that is rejected goes to the
 * dead-letter hook at once. Disposal waits for that and for calls to the broker that are under way; what is not settled
 * by then, the broker hands over again.
 */
export interface HeldMessages<T, M extends BrokerMessage<T>> extends AsyncDisposable {
  /** Messages that are held. */
  readonly size: number;
  /**
   * The events of all that `pull` gives, until the signal aborts. `pull` is called when every event was read and fewer
   * than `maxUnacknowledged` messages and less than `maxUnacknowledgedBytes` are held; it waits for at least one
   * message and gives at most `most`, which is less where the last ones were large, or none when it has waited long
   * enough; it ends, in whatever way, when the signal aborts. Messages are held from when they were pulled; those that
   * nobody reads any more are given back. A message that is held already has no second event: its later delivery takes
   * the place of the earlier one, whose event settles it. While the broker answers `Forbidden` to settling a message,
   * or to extending them, the source is failing: the message is held and tried again, nothing is pulled, and nothing is
   * handed on.
   */
  events(
    pull: (most: number) => Promise<readonly M[]>,
    signal: AbortSignal,
  ): AsyncGenerator<GenericEvent<T>, void, undefined>;
}

/** Messages of a first pull: nobody knows how large they are. */
const firstPull = 10;

const extending = "extending";

interface Held<M> {
  message: M;
  readonly sinceMs: number;
  readonly bytes: number;
  /** Whoever has its event is done with it. */
  settling: boolean;
}

export function createHeldMessages<T, M extends BrokerMessage<T>>(options: HeldMessagesOptions<M>): HeldMessages<T, M> {
  const { source, clock, health, log, maxUnacknowledged, maxUnacknowledgedBytes, extend } = options;
  const letters = createDeadLetters(options);
  const metrics = createSourceMetrics(options.metrics);
  const everyMs = toMs(extend?.every ?? 0);
  const longestMs = extend?.longest === undefined ? Number.POSITIVE_INFINITY : toMs(extend.longest);
  /** How long a message waits whose settling is refused. */
  const delays = backoff({ initial: "1s", max: "1m", jitter: "equal", random: clock.random });
  const held = new Map<string, Held<M>>();
  /** Of all that is held. */
  let bytes = 0;
  /** Rings when there is room for another message. */
  const room = createDoorbell(clock);
  /**
   * Those whose settling the broker refuses for want of a right, and `extending` where it refuses that. Handed over
   * again they would be worked on in vain, and in the end be dead letters, as would all that is read meanwhile.
   */
  const refused = new Set<Held<M> | typeof extending>();
  /** None of their tasks throws. */
  const calls = createTaskScope();
  const burials = createTaskScope();
  const closing = new AbortController();
  let timer: Disposable | undefined;

  const put = (entry: Held<M>): void => {
    held.set(entry.message.id, entry);
    bytes += entry.bytes;
  };
  const remove = (entry: Held<M>): void => {
    if (held.get(entry.message.id) !== entry) return;
    held.delete(entry.message.id);
    bytes -= entry.bytes;
  };
  /** False when it goes on without: it is closed, or the broker has handed the message over again. */
  const holdOn = (entry: Held<M>): boolean => {
    const { id } = entry.message;
    if (closing.signal.aborted || (held.get(id) ?? entry) !== entry) return false;
    if (!held.has(id)) put(entry);
    refused.add(entry);
    arm();
    return true;
  };
  const allow = (what: Held<M> | typeof extending): void => {
    if (refused.delete(what) && refused.size === 0 && !closing.signal.aborted) health.serving();
  };
  const letGo = (entry: Held<M>): void => {
    remove(entry);
    allow(entry);
    // With nothing to extend nobody would learn that it is allowed again.
    if (held.size === 0) allow(extending);
    room.ring();
  };

  const settle = (entry: Held<M>, call: (message: M) => Promise<void>): void => {
    const { id } = entry.message;
    if (closing.signal.aborted || entry.settling || held.get(id) !== entry) return;
    entry.settling = true;
    letGo(entry);
    calls.run(id, async () => {
      for (let refusals = 1; ; refusals += 1) {
        try {
          await clock.outside(call(entry.message));
          break;
        } catch (error) {
          metrics.unsettled(source);
          if (!isCodedError(error, "Forbidden") || !holdOn(entry)) {
            log.warn("Cannot settle a message: the broker hands it over again", { id, error });
            break;
          }
          health.failing(error);
          if (refusals === 1) log.warn("Cannot settle a message for want of a right: trying again", { id, error });
          await clock.sleep(delays.delayMs(refusals), closing.signal).catch(() => {});
          if (closing.signal.aborted) break;
        }
      }
      letGo(entry);
    });
  };
  const done = (entry: Held<M>): void => settle(entry, (message) => message.done());
  const giveBack = (entry: Held<M>, afterMs: number): void => settle(entry, (message) => message.retry(afterMs));

  const releaseAtCap = (): void => {
    const nextMs = clock.elapsed() + everyMs;
    for (const entry of held.values()) {
      if (entry.sinceMs + longestMs > nextMs) return;
      metrics.released(source);
      log.warn("Gave a message back: it was held as long as the broker allows", { id: entry.message.id });
      giveBack(entry, 0);
    }
  };

  const cannotExtend = (error: unknown): void => {
    const isForbidden = isCodedError(error, "Forbidden") && held.size > 0 && !closing.signal.aborted;
    if (!isForbidden || !refused.has(extending))
      log.warn("Cannot extend the broker's deadline of what is held: trying again", { held: held.size, error });
    if (!isForbidden) return;
    refused.add(extending);
    health.failing(error);
  };

  /** One timer for all; it goes on while anything is held. */
  const arm = (): void => {
    if (extend === undefined || timer !== undefined || closing.signal.aborted || held.size === 0) return;
    timer = clock.schedule(everyMs, () =>
      calls.run("extend", async () => {
        releaseAtCap();
        try {
          if (held.size > 0) await clock.outside(extend.run([...held.values()].map(({ message }) => message)));
          allow(extending);
          room.ring();
        } catch (error) {
          cannotExtend(error);
        }
        timer = undefined;
        arm();
      }),
    );
  };

  /**
   * Undefined when the message was held already. The broker has forgotten one whose id is another's now: nothing
   * settles it.
   */
  const add = (message: M): Held<M> | undefined => {
    const before = held.get(message.id);
    if (before !== undefined && Object.is(timeOf(before.message), timeOf(message))) {
      before.message = message;
      return undefined;
    }
    if (before !== undefined) remove(before);
    const entry: Held<M> = { message, sinceMs: clock.elapsed(), bytes: message.bytes, settling: false };
    put(entry);
    arm();
    return entry;
  };

  const bury = async (entry: Held<M>, reason: string, signal: AbortSignal): Promise<void> => {
    const afterMs = await letters.handOver(entry.message, { reason, signal });
    if (afterMs !== undefined) giveBack(entry, afterMs);
    else settle(entry, (message) => message.bury?.() ?? message.done());
  };

  /** Held until the hook has it: the broker hands it over to nobody else meanwhile. */
  const reject = (entry: Held<M>, why: unknown, signal: AbortSignal): void => {
    const { id } = entry.message;
    if (closing.signal.aborted || entry.settling || held.get(id) !== entry) return;
    burials.run(id, () => bury(entry, `it was rejected: ${readProblem(why)}`, signal));
  };

  const eventOf = async (entry: Held<M>, signal: AbortSignal): Promise<GenericEvent<T> | undefined> => {
    const opened = letters.open(entry.message);
    if (opened.type === "dead") {
      await bury(entry, opened.reason, signal);
      return undefined;
    }
    let asked = false;
    const once = (act: () => void): void => {
      if (asked) return;
      asked = true;
      act();
    };
    const ack = {
      done: () => once(() => done(entry)),
      retry: (after: Duration = 0) => once(() => giveBack(entry, toMs(after))),
      reject: (why: unknown) => once(() => reject(entry, why, signal)),
    };
    return { type: "generic", object: opened.object, occurredAt: entry.message.occurredAt, ack };
  };

  /** Messages for which there is room, by their number and, if they are as large as these, by their size. */
  const roomFor = (each: number): number => {
    const fitting = Math.floor((maxUnacknowledgedBytes - bytes) / Math.max(1, each));
    return Math.min(maxUnacknowledged - held.size, bytes < maxUnacknowledgedBytes ? Math.max(1, fitting) : 0);
  };

  return {
    get size() {
      return held.size;
    },
    async *events(pull, signal) {
      /** Of the largest message that came last, which is forgotten bit by bit. */
      let largest = Math.floor(maxUnacknowledgedBytes / firstPull);
      while (!signal.aborted) {
        // Who reads may keep events back, and reads on meanwhile.
        if (roomFor(largest) <= 0 || refused.size > 0) {
          if (refused.size === 0) health.blocked("full");
          await room.wait(Number.POSITIVE_INFINITY, signal);
          health.blocked(undefined);
          continue;
        }
        let pulled: readonly M[];
        try {
          pulled = await pull(roomFor(largest));
        } catch (error) {
          if (signal.aborted) return;
          throw error;
        }
        if (pulled.length > 0) largest = Math.max(largest / 4, ...pulled.map((message) => message.bytes));
        const unread = new Set(pulled.flatMap((message) => add(message) ?? []));
        try {
          for (const entry of unread) {
            if (signal.aborted) return;
            const event = await eventOf(entry, signal);
            while (refused.size > 0 && !signal.aborted) await room.wait(Number.POSITIVE_INFINITY, signal);
            if (event === undefined || signal.aborted) continue;
            unread.delete(entry);
            yield event;
          }
        } finally {
          for (const entry of unread) giveBack(entry, 0);
        }
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      if (burials.running.length > 0) await burials.join();
      closing.abort();
      timer?.[Symbol.dispose]();
      if (held.size > 0)
        log.info("Closed with messages under way: the broker hands them over again", { held: held.size });
      held.clear();
      bytes = 0;
      await calls.join();
    },
  };
}

function timeOf({ occurredAt }: BrokerMessage<unknown>): number | undefined {
  return occurredAt?.getTime();
}
