import assert from "node:assert/strict";
import type { Duration, SourceEvent } from "farwatch";
import type { Check, ContractSubject } from "./contract-subject.ts";

/** How long a stream may take to end after its signal aborted. */
const grace: Duration = "5s";

/** Registers the tests of what the stream of a source is like. */
export function registerStreamCases<T>(check: Check<T>, { resends }: ContractSubject<T>): void {
  check(
    "declares what a source can be",
    {
      promise: 1,
      lookAt: "the fields of the source: how far it keeps events is what everything else follows from",
    },
    async ({ source }) => {
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
    },
  );

  check(
    "yields events once it is open",
    {
      promise: 1,
      lookAt: "`events`: does it connect, read on, and yield each thing that the origin tells of",
    },
    async (stage) => {
      const watch = stage.subscribe("watch");
      await stage.open();
      await stage.happen(1, 2, 3);
      await stage.work(watch, [1, 2, 3]);
    },
  );

  // Promise 14
  check(
    "ends its stream when the signal aborts, whether or not somebody waits for the next event",
    {
      promise: 14,
      lookAt:
        "what `events` waits for: each wait needs `ctx.signal`, and the stream ends when that aborts, at a `yield` too",
    },
    async (stage) => {
      for (const waits of [true, false]) {
        const controller = new AbortController();
        const iterator = stage.source.events(stage.context(controller.signal))[Symbol.asyncIterator]();
        const pending = waits ? iterator.next() : undefined;
        // What it throws before the abort is told after it.
        pending?.catch(() => {});
        await stage.time.settle();
        controller.abort(new Error("the stream shall end"));
        const ending = watchEnd(iterator, pending, controller.signal);
        await stage.time.until(() => ending.state !== goesOn, grace);
        assert.equal(ending.state, "ended", `after the abort of a stream that ${waits ? "waited" : "was not read"}`);
      }
    },
  );

  // Promise 3
  check(
    "is opened again after its stream threw",
    {
      promise: 3,
      lookAt:
        "what `events` keeps between openings: each call begins anew, and nothing of an earlier one stands in its way",
    },
    async (stage) => {
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
    },
  );

  // Promise 2
  check(
    "is opened once for two watches, and gives each every event",
    {
      promise: 2,
      lookAt: "what `events` tells apart by its reader: it has one, whose events are shared",
    },
    async (stage) => {
      const [one, two] = [stage.subscribe("one"), stage.subscribe("two")];
      await stage.open();
      await stage.happen(1, 2);
      await stage.work(one, [1, 2]);
      await stage.work(two, [1, 2]);
      assert.equal(stage.openings, 1);
    },
  );

  check(
    "leaves nothing open when it is closed, and can be opened again",
    {
      promise: 13,
      lookAt: "the `finally` of `events`: whatever it opened closes there, and the next call opens it anew",
    },
    async (stage) => {
      const watch = stage.subscribe("watch");
      for (const n of [1, 2, 3]) {
        await stage.open();
        await stage.happen(n);
        await stage.work(watch, [n]);
        await stage.close();
        await stage.assertNothingOpen();
      }
      assert.equal(stage.openings, 3);
    },
  );
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
