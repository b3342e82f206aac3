import assert from "node:assert/strict";
import {
  type Clock,
  createMetrics,
  type Duration,
  type Logger,
  type Source,
  type SourceContext,
  type SourceEvent,
  seededRandom,
  silentLogger,
} from "farwatch";
import {
  createScriptedCache,
  createScriptedHub,
  createVirtualClock,
  type Received,
  type ScriptedCache,
  type ScriptedHub,
  type SourceState,
  type Subscription,
  type VirtualClock,
} from "farwatch/doubles";

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
   * Makes the n-th thing happen at the origin, n = 1, 2, …; may wait while the source cannot take it. Left out by a source
   * that makes its own events, such as a ticker.
   */
  emit?(n: number): void | Promise<void>;
  /** Which thing an event tells of; goes with `emit`. */
  numberOf?(event: SourceEvent<T>): number;
  /** Virtual time that may pass between a thing and its event; default 0. */
  readonly latency?: Duration;
  /** How much the source holds open at its origin: connections, subscriptions. Must be 0 when its stream is closed. */
  open?(): number;
}

/** What may change of a source, so that bounds are met with few events. */
interface Bounds {
  readonly capacity?: number;
  readonly maxUnacknowledged?: number;
}

/** A source between its far side and a manager, in virtual time, with everything that the contract looks at. */
export interface SourceStage<T> {
  readonly clock: VirtualClock;
  readonly source: Source<T>;
  /** Events can be told apart. */
  readonly isNumbered: boolean;
  /** Times that the source was opened. */
  readonly openings: number;
  readonly state: SourceState;
  /** How often each event that carried an ack was settled. */
  readonly settlements: readonly number[];
  context(signal: AbortSignal): SourceContext;
  subscribe(name: string, bounds?: Bounds): Subscription<T>;
  /** From here this replica leads. */
  open(): Promise<void>;
  /** It does no more. */
  close(): Promise<void>;
  /** Makes things happen, and lets their events come. */
  happen(...numbers: readonly number[]): Promise<void>;
  /** The same where the origin may have to wait until somebody reads. */
  happenUnread(...numbers: readonly number[]): Promise<void>;
  /**
   * Reads, and settles nothing, until each of these numbers was told, or so many events came. Fails when one does not come.
   * Without numbers any event will do.
   */
  read(watch: Subscription<T>, wanted: readonly number[] | number): Promise<Received<T>[]>;
  /** Reads, and is done with what it read. */
  work(watch: Subscription<T>, wanted: readonly number[]): Promise<void>;
  /** Throws out of the stream that is open. */
  breakStream(error: Error): Promise<void>;
  /** Fails when the closed source left a timer, an informer or something of its own open. */
  assertNothingOpen(): void;
  /** Closes, and takes every watch away. */
  dispose(): Promise<void>;
}

export function createSourceStage<T>(create: (env: SourceContractEnv) => SourceUnderTest<T>): SourceStage<T> {
  const clock = createVirtualClock();
  const cache = createScriptedCache();
  const hub = createScriptedHub({
    clock,
    cache,
    log: silentLogger,
    metrics: createMetrics(),
    random: seededRandom(1),
  });
  const underTest = create({ clock, cache, log: silentLogger, ingress: hub.ingress });
  const { source, emit, numberOf, latency = 0 } = underTest;
  const subscriptions: Subscription<T>[] = [];
  const settlements: number[] = [];
  let shared: Source<T> | undefined;
  let openings = 0;
  let breakCurrent: ((error: Error) => void) | undefined;
  let heldClosed = 0;
  let term: { readonly controller: AbortController; readonly closed: Promise<void> } | undefined;

  const counted = (event: SourceEvent<T>): SourceEvent<T> => {
    const { ack } = event;
    if (ack === undefined) return event;
    const index = settlements.push(0) - 1;
    const count = (): void => {
      settlements[index] = (settlements[index] ?? 0) + 1;
    };
    return {
      ...event,
      ack: {
        done(): void {
          count();
          ack.done();
        },
        retry(after): void {
          count();
          ack.retry(after);
        },
      },
    };
  };

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
          return result.done ? { done: true, value: undefined } : { done: false, value: counted(result.value) };
        },
        async return(): Promise<IteratorResult<SourceEvent<T>>> {
          await events.return?.();
          return { done: true, value: undefined };
        },
      }),
    };
  };

  /** Field by field: a source may be an instance of a class, with private parts. */
  const sharedSource = (bounds: Bounds): Source<T> => ({
    name: source.name,
    numbered: source.numbered,
    delivery: source.delivery,
    durability: source.durability,
    overflow: source.overflow,
    capacity: bounds.capacity ?? source.capacity,
    maxUnacknowledged: bounds.maxUnacknowledged ?? source.maxUnacknowledged,
    // Every source is opened and closed with the lead here: what the contract says does not depend on it.
    needLeaderElection: true,
    ends: source.ends,
    critical: source.critical,
    restates: source.restates,
    caches: source.caches,
    ...(source.declare === undefined ? {} : { declare: (on) => source.declare?.(on) ?? nothingDeclared }),
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
    let received: Received<T> | undefined;
    const receiving = watch.receive(controller.signal).then(
      (got) => {
        received = got;
      },
      () => {},
    );
    await clock.settle();
    if (received === undefined) await clock.advance(latency);
    controller.abort();
    await receiving;
    return received;
  };

  const read = async (watch: Subscription<T>, wanted: readonly number[] | number): Promise<Received<T>[]> => {
    const all: Received<T>[] = [];
    const missing = new Set(typeof wanted === "number" || numberOf === undefined ? [] : wanted);
    const least = typeof wanted === "number" ? wanted : 1;
    while (missing.size > 0 || all.length < least) {
      const received = await next(watch);
      assert.ok(
        received,
        missing.size > 0 ? `events ${[...missing].join(", ")} did not come` : `${all.length} of ${least} events came`,
      );
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
    await clock.advance("10s");
    await closed;
  };

  return {
    clock,
    source,
    isNumbered: emit !== undefined && numberOf !== undefined,
    get openings() {
      return openings;
    },
    get state() {
      return stateNow();
    },
    settlements,
    context: (signal) => hub.context(signal),
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
      await clock.settle();
    },
    close,
    async happen(...numbers): Promise<void> {
      for (const n of numbers) {
        let outcome: { readonly error?: unknown } | undefined;
        const happening = start(n).then(
          () => {
            outcome = {};
          },
          (error: unknown) => {
            outcome = { error };
          },
        );
        await clock.settle();
        if (outcome === undefined) await clock.advance(latency);
        assert.ok(outcome, `the origin still waits to emit ${n}, though there is room for it`);
        await happening;
        if ("error" in outcome) throw outcome.error;
      }
      await clock.advance(latency);
    },
    async happenUnread(...numbers): Promise<void> {
      const waiting = numbers.map(start);
      // What waits to be taken when the source is closed may be refused: that is for whoever sent it.
      Promise.all(waiting).catch(() => {});
      await clock.advance(latency);
    },
    read,
    async work(watch, wanted): Promise<void> {
      for (const { hold } of await read(watch, wanted)) hold.done();
      await clock.settle();
    },
    async breakStream(error): Promise<void> {
      assert.ok(breakCurrent, "the source was never opened");
      breakCurrent(error);
      await clock.settle();
    },
    assertNothingOpen(): void {
      assert.equal(clock.pendingTimers, 0, "a timer is left");
      assert.equal(cache.held, heldClosed, "an informer is left");
      assert.equal(underTest.open?.() ?? 0, 0, "something is left open at the origin");
    },
    async dispose(): Promise<void> {
      await close();
      for (const subscription of subscriptions) await subscription[Symbol.asyncDispose]();
      heldClosed = 0;
    },
  };
}

const nothingDeclared: Disposable = { [Symbol.dispose]() {} };
