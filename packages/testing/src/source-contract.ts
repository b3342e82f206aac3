import assert from "node:assert/strict";
import type { Duration, SourceEvent } from "farwatch";
import {
  createSourceStage,
  type SourceContractEnv,
  type SourceStage,
  type SourceUnderTest,
} from "./source-contract-stage.ts";
import { realTime, virtualTime } from "./source-contract-time.ts";

export interface SourceContractOptions<T> {
  /** Begins the name of each test. */
  readonly name: string;
  /** Makes a source of its own for each test. It starts nothing: streams start in `events`. */
  create(env: SourceContractEnv): SourceUnderTest<T>;
  /** Which of the things that `emit` makes happen an event tells of; what it is handed follows from `create` before it. */
  numberOf?(event: SourceEvent<T>): number;
  /** The runner's function: `test` of node:test, `it` of vitest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /**
   * `virtual` (default): nothing waits. `real`: for a source whose origin is a server on a socket; each wait ends when what it
   * waits for has happened. The origin must deliver again within some seconds what was not acknowledged.
   */
  readonly time?: "virtual" | "real";
}

/** How long a stream may take to end after its signal aborted. */
const grace: Duration = "5s";

/**
 * Registers the tests of what users may rely on from any source (promises 1 to 4). They read it as a manager does. Which of
 * them there are follows from what the source declares and from whether its events can be told apart.
 *
 * @example
 * sourceContract({
 *   name: "invoiceSource",
 *   test,
 *   create({ clock }) {
 *     const server = createFakeInvoiceServer(clock);
 *     return {
 *       source: invoiceSource(server),
 *       emit: (n) => server.add({ id: n }),
 *       latency: "10s",
 *       open: () => server.connections,
 *     };
 *   },
 *   numberOf: ({ object }) => object.id,
 * });
 */
export function sourceContract<T>(options: SourceContractOptions<T>): void {
  const { name, create, numberOf, test, time = "virtual" } = options;
  const createStage = (): SourceStage<T> =>
    createSourceStage(create, { numberOf, time: time === "virtual" ? virtualTime() : realTime() });
  const { source: declared, isNumbered } = createStage();
  const resends = declared.delivery === "atLeastOnce";
  const isWhole = isNumbered && declared.overflow === "wait";

  const check = (sentence: string, run: (stage: SourceStage<T>) => Promise<void>): void => {
    test(`${name} ${sentence}`, async () => {
      const stage = createStage();
      await stage.begin();
      try {
        await run(stage);
        await stage.dispose();
        await stage.assertNothingOpen();
      } finally {
        await stage.dispose();
        await stage.end();
      }
    });
  };

  check("declares what a source can be", async ({ source }) => {
    assert.match(source.name, /\S/, "its name is empty");
    assert.ok(["atLeastOnce", "atMostOnce"].includes(source.delivery), `delivery is ${source.delivery}`);
    assert.ok(["process", "origin"].includes(source.durability), `durability is ${source.durability}`);
    const { overflow, capacity = 1_024, maxUnacknowledged = 1_000 } = source;
    assert.ok(
      overflow === "wait" || overflow === "dropOldest" || typeof overflow.coalesce === "function",
      "overflow is neither wait, nor dropOldest, nor { coalesce }",
    );
    for (const [bound, value] of Object.entries({ capacity, maxUnacknowledged })) {
      assert.ok(Number.isInteger(value) && value >= 1, `${bound} is ${value}, not a whole number of at least 1`);
    }
    assert.ok(
      source.durability === "process" || source.delivery === "atLeastOnce",
      "an origin that delivers again until acknowledged delivers at least once",
    );
  });

  check("yields events once it is open", async (stage) => {
    const watch = stage.subscribe("watch");
    await stage.open();
    await stage.happen(1, 2, 3);
    await stage.work(watch, [1, 2, 3]);
  });

  // Promise 14
  check("ends its stream when the signal aborts, whether or not somebody waits for the next event", async (stage) => {
    for (const waits of [true, false]) {
      const controller = new AbortController();
      const iterator = stage.source.events(stage.context(controller.signal))[Symbol.asyncIterator]();
      const pending = waits ? iterator.next() : undefined;
      await stage.time.settle();
      controller.abort(new Error("the stream shall end"));
      const ending = watchEnd(iterator, pending, controller.signal);
      await stage.time.until(() => ending.state !== goesOn, grace);
      assert.equal(ending.state, "ended", `after the abort of a stream that ${waits ? "waited" : "was not read"}`);
    }
  });

  // Promise 3
  check("is opened again after its stream threw", async (stage) => {
    const watch = stage.subscribe("watch");
    await stage.open();
    await stage.happen(1);
    await stage.work(watch, [1]);
    await stage.breakStream(new Error("the stream broke"));
    assert.equal(stage.state.phase, "failing");
    await stage.happen(2);
    await stage.time.until(() => stage.state.restarts > 0, "2s");
    assert.equal(stage.state.restarts, 1, "it was not opened again, or failed again");
    await stage.happen(3);
    await stage.work(watch, resends ? [2, 3] : [3]);
  });

  // Promise 2
  check("is opened once for two watches, and gives each every event", async (stage) => {
    const [one, two] = [stage.subscribe("one"), stage.subscribe("two")];
    await stage.open();
    await stage.happen(1, 2);
    await stage.work(one, [1, 2]);
    await stage.work(two, [1, 2]);
    assert.equal(stage.openings, 1);
  });

  check("leaves nothing open when it is closed, and can be opened again", async (stage) => {
    const watch = stage.subscribe("watch");
    for (const n of [1, 2, 3]) {
      await stage.open();
      await stage.happen(n);
      await stage.work(watch, [n]);
      await stage.close();
      await stage.assertNothingOpen();
    }
    assert.equal(stage.openings, 3);
  });

  // Promise 4
  check("has each event settled exactly once", async (stage) => {
    const watch = stage.subscribe("watch");
    await stage.open();
    await stage.happen(1, 2, 3);
    for (const { hold } of await stage.read(watch, [1, 2, 3])) {
      hold.done();
      hold.giveBack();
    }
    await stage.time.settle();
    assert.equal(stage.state.unacknowledged, 0);
    assert.deepEqual(new Set(stage.settlements).difference(new Set([1])), new Set(), "settled never, or twice");
    if (declared.durability === "origin") assert.ok(stage.settlements.length >= 3, "its events carry no ack");
  });

  // Promise 2
  check("keeps its buffers bounded while nobody reads", async (stage) => {
    const watch = stage.subscribe("watch", { capacity: 4 });
    await stage.open();
    await stage.happenUnread(...range(1, 40));
    await stage.time.settle();
    assert.ok(stage.state.buffered <= 4, `${stage.state.buffered} events wait in a buffer of 4`);
    if (isWhole) await stage.work(watch, range(1, 40));
  });

  if (isWhole) {
    // Promise 1
    check("loses nothing while its watch is slow", async (stage) => {
      const watch = stage.subscribe("watch", { capacity: 1 });
      await stage.open();
      await stage.happenUnread(...range(1, 20));
      for (const n of range(1, 20)) await stage.work(watch, [n]);
    });
  }

  if (isNumbered && resends) {
    // Promise 1
    check("loses nothing that happens before it is open", async (stage) => {
      const watch = stage.subscribe("watch");
      await stage.happen(1, 2);
      await stage.time.pass("10s");
      await stage.open();
      await stage.happen(3);
      await stage.work(watch, [1, 2, 3]);
    });

    // Promise 1
    check("loses nothing that happens while another replica leads", async (stage) => {
      const watch = stage.subscribe("watch");
      await stage.open();
      await stage.happen(1);
      await stage.work(watch, [1]);
      await stage.close();
      await stage.happen(2, 3);
      await stage.time.pass("10s");
      await stage.open();
      await stage.work(watch, [2, 3]);
    });
  }

  if (isNumbered) {
    // Promise 1
    check("loses nothing that waits, or is being worked on, when the lead is lost", async (stage) => {
      const watch = stage.subscribe("watch");
      await stage.open();
      await stage.happen(1, 2, 3);
      const [first] = await stage.read(watch, 1);
      await stage.close();
      first?.hold.giveBack();
      await stage.open();
      await stage.time.pass("2s");
      await stage.work(watch, [1, 2, 3]);
    });
  }

  if (isNumbered && declared.durability === "origin") {
    // Promise 4
    check("settles at its origin what is done while it is closed, so that it does not come again", async (stage) => {
      const watch = stage.subscribe("watch");
      await stage.open();
      await stage.happen(1);
      const held = await stage.read(watch, [1]);
      const closing = stage.close();
      for (const { hold } of held) hold.done();
      await closing;
      await stage.open();
      await stage.happen(2);
      const told = await stage.read(watch, [2]);
      for (const { hold } of told) hold.done();
      assert.deepEqual(
        told.map(({ event }) => numberOf?.(event)),
        [2],
        "what was done came again",
      );
    });
  }

  if (isNumbered && !declared.restates) {
    // Promise 1
    check("delivers an event again that was given back", async (stage) => {
      const watch = stage.subscribe("watch");
      await stage.open();
      await stage.happen(1);
      const [first] = await stage.read(watch, [1]);
      first?.hold.giveBack("1s");
      await stage.time.pass("1m");
      await stage.work(watch, [1]);
    });
  }

  if (isWhole && !declared.restates) {
    // Promise 4
    check("is not read while maxUnacknowledged of its events are not settled", async (stage) => {
      const watch = stage.subscribe("watch", { maxUnacknowledged: 2 });
      await stage.open();
      await stage.happenUnread(1, 2, 3);
      const [first, second] = await stage.read(watch, 2);
      await stage.time.settle();
      assert.equal(stage.state.unacknowledged, 2);
      assert.equal(stage.state.buffered, 0, "a third event was read");
      first?.hold.done();
      second?.hold.done();
      await stage.work(watch, [3]);
    });
  }
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

const goesOn = "goes on";

/** How a stream comes to its end after the abort: `ended`, `threw …`, or still `goes on`. */
function watchEnd<T>(
  iterator: AsyncIterator<SourceEvent<T>>,
  pending: Promise<IteratorResult<SourceEvent<T>>> | undefined,
  signal: AbortSignal,
): { readonly state: string } {
  const ending = { state: goesOn };
  (async () => {
    let result = await (pending ?? iterator.next());
    // Events that were under way may still come, but not without end.
    for (let late = 0; !result.done && late < 1_000; late += 1) result = await iterator.next();
    if (result.done) ending.state = "ended";
  })().catch((error: unknown) => {
    ending.state = error === signal.reason ? "ended" : `threw ${String(error)}`;
  });
  return ending;
}
