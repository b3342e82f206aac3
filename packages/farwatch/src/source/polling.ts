import { CodedError } from "../error/coded-error.ts";
import { abortable } from "../flow/abortable.ts";
import { createChannel } from "../flow/channel.ts";
import { createTaskScope } from "../flow/task-scope.ts";
import type { CircuitBreaker } from "../limit/circuit-breaker.ts";
import type { RateLimiter } from "../limit/rate-limiter.ts";
import type { DueTimes } from "./due-times.ts";
import { readUntilAborted } from "./read-until-aborted.ts";
import type { SourceContext } from "./source.ts";
import { createSourceMetrics } from "./source-metrics.ts";

/** What is polled, and how. */
export interface PollingOptions<E> {
  readonly due: DueTimes;
  /** Polls that may be under way at once; a quarter is kept from keys that did not answer in time. */
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly rateLimiter: RateLimiter | undefined;
  readonly circuitBreaker: CircuitBreaker | undefined;
  /** The key of limiter and breaker under which the polls of a key count. */
  limitKeyOf(key: string): string;
  /** What a key is called in logs and errors. */
  nameOf(key: string): string;
  /** Polls. The events are read when it has answered, one by one as they are taken; that may throw too. */
  ask(key: string, signal: AbortSignal): Promise<Iterable<E>>;
  /** Runs beside the polls, such as what finds out when keys are due; what it throws ends them. */
  readonly beside?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** The polls of one opening. */
export interface Polling<E> {
  /** Ends when the signal of the opening aborts. */
  events(): AsyncGenerator<E, void, undefined>;
  /** Polls a key out of turn. */
  pollNow(key: string): void;
  /** This key is polled no more. */
  forget(key: string): void;
}

/**
 * Polls each key when it is due, one poll of a key at a time. A poll that fails, or that limiter or breaker refuse, is
 * counted, and logged when the one before had not failed; the next comes at its time. While every key fails, the source
 * is failing. What is not read holds polls up: a key whose events wait is not polled again.
 */
export function createPolling<E extends { readonly ack?: { retry(): void } | undefined }>(
  options: PollingOptions<E>,
  { name, clock, log, health, metrics, signal }: SourceContext,
): Polling<E> {
  const { due, concurrency, timeoutMs, rateLimiter, circuitBreaker, limitKeyOf, nameOf } = options;
  const counted = createSourceMetrics(metrics);
  const told = createChannel<E>({ capacity: 1 });
  const scope = createTaskScope(signal);
  /** Keys that wait for their turn at the limiter: they take no place from keys of others. */
  const paced = new Set<string>();
  /** Keys that are next and wait for a place, in that order. */
  const waiting = new Set<string>();
  /** Keys whose poll, or what it found, is under way. */
  const polled = new Set<string>();
  /** Keys that have not answered, those among them whose poll was given up. */
  const asked = new Set<string>();
  const failing = new Set<string>();
  /** Keys whose last poll had no answer in time. They may not take all places, up to the timeout, from those that answer. */
  const late = new Set<string>();
  const lateUnderWay = new Set<string>();
  const mostLate = concurrency - (concurrency === 1 ? 0 : Math.ceil(concurrency / 4));
  /** Late ones for which there is no place, in their order. */
  const held = new Set<string>();
  /** Keys that are polled no more, while their last poll is under way: how it ends says nothing of the source. */
  const forgotten = new Set<string>();

  const failed = (key: string, error: unknown): void => {
    counted.pollFailed(name);
    if (forgotten.has(key)) return;
    if (!failing.has(key)) log.warn("Poll failed, the next comes at its time", { of: nameOf(key), error });
    failing.add(key);
    // What is due no more is not among all.
    if (failing.size >= due.size) for (const each of failing) if (!due.has(each)) failing.delete(each);
    if (failing.size >= due.size) health.failing(error);
  };

  const ask = async (key: string): Promise<Iterable<E>> => {
    using deadline = clock.timeout(timeoutMs, scope.signal);
    const answer = options.ask(key, deadline);
    asked.add(key);
    const answered = (): boolean => asked.delete(key);
    answer.then(answered, answered);
    try {
      return await abortable(answer, deadline);
    } finally {
      if (deadline.aborted) late.add(key);
      else late.delete(key);
    }
  };

  const tell = async (event: E): Promise<void> => {
    try {
      await told.send(event, { signal: scope.signal });
    } catch (reason) {
      event.ack?.retry();
      throw reason;
    }
  };

  const poll = async (key: string): Promise<void> => {
    try {
      const call = (): Promise<Iterable<E>> => ask(key);
      const found = await (circuitBreaker?.run(limitKeyOf(key), call, scope.signal) ?? call());
      for (const event of found) await tell(event);
      if (failing.delete(key)) log.info("Poll works again", { of: nameOf(key) });
      health.serving();
    } catch (error) {
      if (!scope.signal.aborted) failed(key, error);
    }
  };

  const start = (key: string): void => {
    polled.add(key);
    if (late.has(key)) lateUnderWay.add(key);
    scope.run(`poll ${nameOf(key)}`, async () => {
      await poll(key);
      polled.delete(key);
      lateUnderWay.delete(key);
      if (forgotten.delete(key)) late.delete(key);
      startSome();
    });
  };

  const startSome = (): void => {
    for (const queue of [held, waiting]) {
      for (const key of queue) {
        if (polled.size >= concurrency || scope.signal.aborted) return;
        const mayStart = lateUnderWay.size < mostLate || !late.has(key);
        if (!mayStart && queue === held) break;
        queue.delete(key);
        if (mayStart) start(key);
        else held.add(key);
      }
    }
  };

  const pace = async (key: string, limiter: RateLimiter): Promise<void> => {
    paced.add(key);
    try {
      await limiter.take(limitKeyOf(key), scope.signal);
      if (!forgotten.has(key)) waiting.add(key);
    } catch (error) {
      if (!scope.signal.aborted) failed(key, error);
    } finally {
      paced.delete(key);
      forgotten.delete(key);
    }
    startSome();
  };

  /**
   * A point of the grid that comes while a poll goes on, or waits for its turn, is left out: the next poll comes at the
   * next.
   */
  const pollNow = (key: string): void => {
    if (polled.has(key) || paced.has(key) || waiting.has(key) || held.has(key)) return;
    counted.polled(name);
    if (asked.has(key)) {
      failed(
        key,
        new CodedError("Timeout", `Cannot poll ${nameOf(key)}: its last poll goes on, though its signal has aborted`),
      );
      return;
    }
    if (rateLimiter === undefined) {
      waiting.add(key);
      startSome();
    } else {
      scope.run(`turn of ${nameOf(key)}`, () => pace(key, rateLimiter));
    }
  };

  return {
    pollNow,
    forget(key): void {
      waiting.delete(key);
      held.delete(key);
      failing.delete(key);
      late.delete(key);
      if (polled.has(key) || paced.has(key)) forgotten.add(key);
    },
    async *events(): AsyncGenerator<E, void, undefined> {
      if (options.beside !== undefined) scope.run("beside", options.beside);
      scope.run("due", async (stopped) => {
        for (;;) pollNow(await due.next(stopped));
      });
      try {
        yield* readUntilAborted((until) => told.receive(until), scope.signal);
      } finally {
        scope.abort(signal.reason);
        told.tryReceive()?.ack?.retry();
        await scope.join();
      }
    },
  };
}
