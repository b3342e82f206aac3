import assert from "node:assert/strict";
import {
  type Clock,
  createMetrics,
  type Duration,
  type Logger,
  type Source,
  type SourceContext,
  type SourceEvent,
  silentLogger,
  sourceLike,
} from "farwatch";
import {
  createScriptedCache,
  createScriptedHub,
  type Received,
  type ScriptedCache,
  type ScriptedHub,
  type SourceState,
  type Subscription,
} from "farwatch/doubles";
import type { ContractTime } from "./contract-time.ts";
import { createSettlements, type Settlements } from "./settlements.ts";

/** What a source that is put through the contract is made with. Its time is this clock's alone. */
export interface SourceContractEnv {
  readonly clock: Clock;
  readonly cache: ScriptedCache;
  readonly log: Logger;
  /** Requests of senders go in here, for a source that serves a path. */
  readonly ingress: Pick<ScriptedHub["ingress"], "answer">;
}

/** A source that has not been opened yet, and its far side. */
export interface SourceUnderTest<T> {
  readonly source: Source<T>;
  /**
   * Makes the n-th thing happen at the origin, n = 1, 2, …; may wait while the source cannot take it. Left out by a
   * source that makes its own events, such as a ticker.
   */
  emit?(n: number): void | Promise<void>;
  /** Time that may pass between a thing and its event; default 0. Real time allows for a server besides. */
  readonly latency?: Duration;
  /** How much the source holds open at its origin: connections, subscriptions. Must be 0 when its stream is closed. */
  open?(): number | Promise<number>;
  /**
   * How many of the things that happened the source has taken from its origin by now, as the origin counts them: handed
   * over, and perhaps not settled. Where the origin cannot tell, as behind a socket, how many the source has read. With it
   * the contract sees that a source which nobody reads takes no more than its `maxUnacknowledged`; for a real server give
   * that a small number.
   */
  taken?(): number | Promise<number>;
  /** Makes a place of its own at the origin; called once, before anything else. */
  begin?(): Promise<void>;
  /** Takes that away; called once, after everything else. */
  end?(): Promise<void>;
}

/** What may change of a source, so that bounds are met with few events. */
interface Bounds {
  readonly capacity?: number;
  readonly maxUnacknowledged?: number;
}

/** A source between its far side and a manager, with everything that the contract looks at. */
export interface SourceStage<T> {
  readonly time: ContractTime;
  readonly source: Source<T>;
  /** Events can be told apart. */
  readonly isNumbered: boolean;
  /** Times that the source was opened. */
  readonly openings: number;
  readonly state: SourceState;
  readonly settlements: Pick<Settlements<T>, "counts" | "assertQuiet">;
  /** What the origin says that the source has taken; undefined where it cannot tell. */
  readonly taken: (() => Promise<number>) | undefined;
  context(signal: AbortSignal): SourceContext;
  /** Before anything else. */
  begin(): Promise<void>;
  subscribe(name: string, bounds?: Bounds): Subscription<T>;
  /** From here this replica leads. */
  open(): Promise<void>;
  /** It does no more. */
  close(): Promise<void>;
  /** Makes things happen, and lets their events come. */
  happen(...numbers: readonly number[]): Promise<void>;
  /** The same where the origin may have to wait until somebody reads; gives how many the origin took. */
  happenUnread(...numbers: readonly number[]): Promise<number>;
  /**
   * Reads, and settles nothing, until each of these numbers was told, or so many events came. Fails when one does not
   * come. Without numbers any event will do.
   */
  read(watch: Subscription<T>, wanted: readonly number[] | number): Promise<Received<T>[]>;
  /** Reads, and is done with what it read. */
  work(watch: Subscription<T>, wanted: readonly number[]): Promise<void>;
  /** Throws out of the stream that is open. */
  breakStream(error: Error): Promise<void>;
  /** Fails when the closed source left a timer, an informer or something of its own open. */
  assertNothingOpen(): Promise<void>;
  /** Closes, and takes every watch away. */
  dispose(): Promise<void>;
  /** After everything else. */
  end(): Promise<void>;
}

export interface SourceStageOptions<T> {
  readonly time: ContractTime;
  /** Which thing an event tells of. */
  readonly numberOf: ((event: SourceEvent<T>) => number) | undefined;
}

export function createSourceStage<T>(
  create: (env: SourceContractEnv) => SourceUnderTest<T>,
  { time, numberOf }: SourceStageOptions<T>,
): SourceStage<T> {
  const { clock } = time;
  const cache = createScriptedCache();
  const hub = createScriptedHub({
    clock,
    cache,
    log: silentLogger,
    metrics: createMetrics(),
    acknowledgeGrace: time.acknowledgeGrace,
  });
  const underTest = create({ clock, cache, log: silentLogger, ingress: hub.ingress });
  const { source, emit, latency = 0, taken } = underTest;
  const subscriptions: Subscription<T>[] = [];
  const settlements = createSettlements<T>();
  let shared: Source<T> | undefined;
  let openings = 0;
  let breakCurrent: ((error: Error) => void) | undefined;
  let heldClosed = 0;
  let term: { readonly controller: AbortController; readonly closed: Promise<void> } | undefined;

  const observed = (ctx: SourceContext): AsyncIterable<SourceEvent<T>> => {
    openings += 1;
    const events = source.events(ctx)[Symbol.asyncIterator]();
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => {});
    breakCurrent = broken.reject;
    return {
      [Symbol.asyncIterator]: () => ({
        async next(): Promise<IteratorResult<SourceEvent<T>>> {
          const result = await Promise.race([events.next(), broken.promise]);
          return result.done
            ? { done: true, value: undefined }
            : { done: false, value: settlements.watch(result.value) };
        },
        async return(): Promise<IteratorResult<SourceEvent<T>>> {
          await events.return?.();
          return { done: true, value: undefined };
        },
      }),
    };
  };

  const sharedSource = ({ capacity, maxUnacknowledged }: Bounds): Source<T> =>
    sourceLike(source, {
      ...(capacity !== undefined && { capacity }),
      ...(maxUnacknowledged !== undefined && { maxUnacknowledged }),
      // Every source is opened and closed with the lead here: what the contract says does not depend on it.
      needLeaderElection: true,
      events: observed,
    });

  const stateNow = (): SourceState => {
    const [state] = hub.states;
    assert.ok(state, "nobody watches the source");
    return state;
  };

  const start = (n: number): Promise<void> => (async () => emit?.(n))();

  const next = async (watch: Subscription<T>): Promise<Received<T> | undefined> => {
    const controller = new AbortController();
    const receiving = watch.receive(controller.signal).catch(() => undefined);
    await time.wait(receiving, latency);
    controller.abort();
    return await receiving;
  };

  const read = async (watch: Subscription<T>, wanted: readonly number[] | number): Promise<Received<T>[]> => {
    const all: Received<T>[] = [];
    const missing = new Set(typeof wanted === "number" || numberOf === undefined ? [] : wanted);
    const least = typeof wanted === "number" ? wanted : 1;
    while (missing.size > 0 || all.length < least) {
      const received = await next(watch);
      assert.ok(received, `${tell(missing)} did not come, after ${all.length} others: ${told(stateNow())}`);
      all.push(received);
      if (numberOf !== undefined) missing.delete(numberOf(received.event));
    }
    return all;
  };

  const close = async (): Promise<void> => {
    if (term === undefined) return;
    const { controller, closed } = term;
    term = undefined;
    controller.abort(new Error("this replica leads no more"));
    await time.pass("10s");
    await closed;
  };

  return {
    time,
    source,
    isNumbered: emit !== undefined && numberOf !== undefined,
    get openings() {
      return openings;
    },
    get state() {
      return stateNow();
    },
    settlements,
    taken: taken && (async () => await taken()),
    context: (signal) => hub.context(signal),
    async begin(): Promise<void> {
      await underTest.begin?.();
    },
    subscribe(name, bounds = {}): Subscription<T> {
      shared ??= sharedSource(bounds);
      const subscription = hub.subscribe(shared, { name });
      subscriptions.push(subscription);
      heldClosed = cache.held;
      return subscription;
    },
    async open(): Promise<void> {
      const controller = new AbortController();
      term = { controller, closed: hub.open("leader", controller.signal) };
      await time.until(() => true, 0);
    },
    close,
    async happen(...numbers): Promise<void> {
      for (const n of numbers) {
        const happened = await time.wait(
          start(n).then(() => true),
          latency,
        );
        assert.ok(happened, `the origin still waits to emit ${n}, though there is room for it`);
      }
      await time.pass(latency);
    },
    async happenUnread(...numbers): Promise<number> {
      // What waits to be taken when the source is closed may be refused: that is for whoever sent it.
      let happened = 0;
      const count = (): void => {
        happened += 1;
      };
      const happening = (async () => {
        for (const n of numbers) await start(n).then(count, () => {});
      })();
      await time.wait(happening, latency);
      await time.pass(latency);
      return happened;
    },
    read,
    async work(watch, wanted): Promise<void> {
      for (const { hold } of await read(watch, wanted)) hold.done();
      await time.until(() => true, 0);
    },
    async breakStream(error): Promise<void> {
      assert.ok(breakCurrent, "the source was never opened");
      breakCurrent(error);
      await time.until(() => stateNow().phase === "failing", 0);
    },
    async assertNothingOpen(): Promise<void> {
      assert.equal(time.pendingTimers, 0, "a timer is left");
      assert.equal(cache.held, heldClosed, "an informer is left");
      assert.equal((await underTest.open?.()) ?? 0, 0, "something is left open at the origin");
    },
    async dispose(): Promise<void> {
      await close();
      for (const subscription of subscriptions) await subscription[Symbol.asyncDispose]();
      heldClosed = 0;
    },
    async end(): Promise<void> {
      await underTest.end?.();
    },
  };
}

function tell(missing: ReadonlySet<number>): string {
  return missing.size === 0 ? "an event" : `events ${[...missing].join(", ")}`;
}

/** What may explain that an event is missing. */
function told({ phase, lastError, restarts, buffered, unacknowledged }: SourceState): string {
  const error = lastError === undefined ? "" : `, its last error was "${lastError}"`;
  return `the source is ${phase}, opened again ${restarts} times${error}; ${unacknowledged} events are not settled, ${buffered} of them not read`;
}
