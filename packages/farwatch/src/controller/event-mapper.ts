import { backoff } from "../clock/backoff.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import { CodedError } from "../error/coded-error.ts";
import type { Hold } from "../event/delivery.ts";
import { type Enqueued, priorities, type Request } from "../event/request.ts";
import type { SourceEvent } from "../event/source-event.ts";
import { isThenable } from "../flow/thenable.ts";
import type { EventHandler } from "../handler/event-handler.ts";
import { listOfRequests } from "../handler/list-of-requests.ts";
import { mustPass } from "../predicate/must-pass.ts";
import type { Predicate } from "../predicate/predicate.ts";
import type { WorkQueue } from "../queue/work-queue.ts";
import { callDeadLetterHook } from "../source/dead-letter-hook.ts";
import type { Context } from "../source/source.ts";
import type { DeadLetter } from "./controller.ts";

/** Events of one watch that may be in their second or a later try at once; beyond it the watch is not read. */
const mostRetrying = 1_000;

export interface EventMapperOptions {
  readonly controller: string;
  readonly source: string;
  readonly handler: EventHandler<unknown>;
  readonly predicates: readonly Predicate<unknown>[];
  readonly queue: Pick<WorkQueue, "add">;
  readonly ctx: Context;
  /** A handler that takes longer has failed; default 10 s. */
  readonly timeout?: Duration | undefined;
  /** Tries of an event before it is a dead letter; default 5. */
  readonly attempts?: number | undefined;
  readonly onDeadLetter?: ((letter: DeadLetter) => void | Promise<void>) | undefined;
  readonly observer: { handlerFailed(): void; deadLetter(): void };
}

/** Turns the events of one watch into requests in the queue (promise 3). */
export interface EventMapper {
  /**
   * Maps one event. Returns undefined when that is done, or a promise when the handler takes its time. Never rejects:
   * an event whose handler fails is tried again in the background while later events go on.
   */
  map(event: SourceEvent<unknown>, hold: Hold): Promise<void> | undefined;
  /** Resolves when no event is in a later try; those are given back once the context's signal aborts. */
  idle(): Promise<void>;
}

export function createEventMapper(options: EventMapperOptions): EventMapper {
  const { handler, predicates, queue, ctx } = options;
  const { clock, log, signal } = ctx;
  const timeoutMs = toMs(options.timeout ?? "10s");
  const attempts = options.attempts ?? 5;
  const delays = backoff({ initial: "500ms", max: "30s", jitter: "equal", random: clock.random });
  const retrying = new Set<Promise<void>>();

  const enqueue = (event: SourceEvent<unknown>, hold: Hold, given: Iterable<Enqueued>): void => {
    const requests = listOfRequests(given, `the handler of source ${options.source}`);
    const lane = event.type === "create" && event.inInitialList ? priorities.initialList : priorities.normal;
    // All are read before the first is added: what a handler got wrong must not be half done.
    const read: { readonly request: Request; readonly afterMs: number; readonly priority: number }[] = [];
    for (const { name, namespace, after, priority = lane } of requests) {
      if (typeof name !== "string" || name === "" || (namespace !== undefined && typeof namespace !== "string")) {
        const state = typeof name === "string" && name !== "" ? "its namespace is no text" : "it has no name";
        throw new CodedError(
          "InvalidOption",
          `Cannot make a request of what the handler of source ${options.source} gave: ${state}, give { namespace, name }`,
        );
      }
      read.push({ request: { name, namespace }, afterMs: after === undefined ? 0 : toMs(after), priority });
    }
    for (const { request, afterMs, priority } of read) queue.add(request, { afterMs, priority, cause: hold.split() });
    hold.done();
  };

  const call = (event: SourceEvent<unknown>): Iterable<Enqueued> | PromiseLike<Iterable<Enqueued>> =>
    mustPass(event) || predicates.every((predicate) => predicate(event)) ? handler(event, ctx) : [];

  /** What becomes of a handler's answer, or of its failure; not to answer in time is one. */
  const answered = <R>(
    answer: PromiseLike<Iterable<Enqueued>>,
    { onRequests, onFailure }: { onRequests(given: Iterable<Enqueued>): R; onFailure(error: unknown): R },
  ): Promise<Awaited<R>> =>
    new Promise((resolve, reject) => {
      let settled = false;
      let timer: Disposable | undefined;
      const settle = <V>(act: (value: V) => R, value: V): void => {
        if (settled) return;
        settled = true;
        timer?.[Symbol.dispose]();
        try {
          resolve(act(value) as Awaited<R>);
        } catch (error) {
          reject(error);
        }
      };
      Promise.resolve(answer).then(
        (given) => settle(onRequests, given),
        (error: unknown) => settle(onFailure, error),
      );
      // A timer costs more than most handlers: it is for those that wait for something outside.
      process.nextTick(() => {
        if (!settled) timer = clock.schedule(timeoutMs, () => settle(onFailure, late(options, timeoutMs)));
      });
    });

  const retry = async (event: SourceEvent<unknown>, hold: Hold, firstError: unknown): Promise<void> => {
    let error = firstError;
    for (let attempt = 1; ; attempt += 1) {
      if (signal.aborted) {
        hold.giveBack();
        return;
      }
      options.observer.handlerFailed();
      log.warn("Cannot map event", { source: options.source, attempt, error });
      if (attempt >= attempts) break;
      try {
        await clock.sleep(delays.delayMs(attempt), signal);
        const given = call(event);
        enqueue(event, hold, isThenable(given) ? await answered(given, orThrow) : given);
        return;
      } catch (thrown) {
        error = thrown;
      }
    }
    options.observer.deadLetter();
    log.error("Gave up on an event that its handler cannot map", { source: options.source, attempts, error });
    const { controller, source } = options;
    try {
      await callDeadLetterHook(() => options.onDeadLetter?.({ controller, source, event, error, attempts }), ctx);
    } catch (thrown) {
      log.error("Cannot hand over a dead letter", { source: options.source, error: thrown });
      if (signal.aborted) {
        hold.giveBack();
        return;
      }
    }
    hold.reject(error);
  };

  const failed = (event: SourceEvent<unknown>, hold: Hold, error: unknown): Promise<void> | undefined => {
    const task = retry(event, hold, error).finally(() => retrying.delete(task));
    retrying.add(task);
    return retrying.size < mostRetrying ? undefined : Promise.race(retrying);
  };

  const mapped = (event: SourceEvent<unknown>, hold: Hold, given: Iterable<Enqueued>): Promise<void> | undefined => {
    try {
      enqueue(event, hold, given);
      return undefined;
    } catch (error) {
      return failed(event, hold, error);
    }
  };

  return {
    map(event, hold): Promise<void> | undefined {
      try {
        const given = call(event);
        if (!isThenable(given)) return mapped(event, hold, given);
        return answered(given, {
          onRequests: (requests) => mapped(event, hold, requests),
          onFailure: (error) => failed(event, hold, error),
        });
      } catch (error) {
        return failed(event, hold, error);
      }
    },
    async idle(): Promise<void> {
      await Promise.all(retrying);
    },
  };
}

function late({ source, controller }: EventMapperOptions, timeoutMs: number): CodedError {
  return new CodedError(
    "HandlerTimeout",
    `Cannot map an event of source ${source} for controller ${controller}: its handler did not return within ${timeoutMs} ms`,
  );
}

const orThrow = {
  onRequests: (given: Iterable<Enqueued>): Iterable<Enqueued> => given,
  onFailure(error: unknown): never {
    throw error;
  },
};
