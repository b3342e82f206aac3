import assert from "node:assert/strict";
import { type Check, type ContractSubject, range } from "./contract-subject.ts";

/** Registers the tests of what comes of things that happen. */
export function registerDeliveryCases<T>(
  check: Check<T>,
  { canTellTaken, declared, isNumbered, isWhole, resends }: ContractSubject<T>,
): void {
  if (isNumbered && resends) {
    // Promise 1
    check(
      "loses nothing that happens before it is open",
      {
        promise: 1,
        lookAt:
          "where things wait until `events` is called: a source that delivers at least once keeps them, or asks its origin for them",
      },
      async (stage) => {
        const watch = stage.subscribe("watch");
        await stage.happen(1, 2);
        await stage.time.pass("10s");
        await stage.open();
        await stage.happen(3);
        await stage.work(watch, [1, 2, 3]);
      },
    );

    // Promise 1
    check(
      "loses nothing that happens while another replica leads",
      {
        promise: 1,
        lookAt:
          "where things wait while no stream is open: a source that delivers at least once keeps them, or asks its origin for them",
      },
      async (stage) => {
        const watch = stage.subscribe("watch");
        await stage.open();
        await stage.happen(1);
        await stage.work(watch, [1]);
        await stage.close();
        await stage.happen(2, 3);
        await stage.time.pass("10s");
        await stage.open();
        await stage.work(watch, [2, 3]);
      },
    );
  }

  if (isNumbered) {
    // Promise 1
    check(
      "loses nothing that waits, or is being worked on, when the lead is lost",
      {
        promise: 1,
        lookAt:
          "`ack.retry`, and what `events` does with the values of an earlier stream that were not settled: they come again in the next",
      },
      async (stage) => {
        const watch = stage.subscribe("watch");
        await stage.open();
        await stage.happen(1, 2, 3);
        const [first] = await stage.read(watch, 1);
        await stage.close();
        first?.hold.giveBack();
        await stage.open();
        await stage.time.pass("2s");
        await stage.work(watch, [1, 2, 3]);
      },
    );
  }

  if (isNumbered && !declared.restates) {
    // Promise 1
    check(
      "delivers an event again that was given back",
      {
        promise: 1,
        lookAt: "`ack.retry`: the origin delivers the event again, in this stream or in the next",
      },
      async (stage) => {
        const watch = stage.subscribe("watch");
        await stage.open();
        await stage.happen(1);
        const [first] = await stage.read(watch, [1]);
        first?.hold.giveBack("1s");
        await stage.time.pass("1m");
        await stage.work(watch, [1]);
      },
    );
  }

  // Promise 2
  check(
    "keeps its buffers bounded while nobody reads",
    {
      promise: 2,
      lookAt:
        "who waits while nobody asks `events` for a next value: with overflow `wait` the origin does, and nothing is dropped",
    },
    async (stage) => {
      const watch = stage.subscribe("watch", { capacity: 4 });
      await stage.open();
      await stage.happenUnread(...range(1, 40));
      await stage.time.settle();
      assert.ok(stage.state.buffered <= 4, `${stage.state.buffered} events wait in a buffer of 4`);
      if (isWhole) await stage.work(watch, range(1, 40));
    },
  );

  if (isWhole) {
    // Promise 1
    check(
      "loses nothing while its watch is slow",
      {
        promise: 1,
        lookAt:
          "what becomes of things that happen while nobody asks `events` for a next value: they wait at the origin, or in a bounded buffer",
      },
      async (stage) => {
        const watch = stage.subscribe("watch", { capacity: 1 });
        await stage.open();
        await stage.happenUnread(...range(1, 20));
        for (const n of range(1, 20)) await stage.work(watch, [n]);
      },
    );
  }

  if (isWhole && canTellTaken) {
    // Promises 2 and 4
    check(
      "takes no more from its origin than it may hold while nobody reads",
      {
        promise: 2,
        lookAt:
          "what `events` asks its origin for: no more than it was asked for itself, one page at most, and never all that there is",
      },
      async (stage) => {
        const { maxUnacknowledged = 1_000 } = stage.source;
        const many = maxUnacknowledged + 20;
        const watch = stage.subscribe("watch", { capacity: 1, maxUnacknowledged: 1 });
        // Both what waits when it opens and what happens when it is open.
        let happened = resends ? await stage.happenUnread(...range(1, many)) : 0;
        await stage.open();
        happened += await stage.happenUnread(...range(many + 1, 2 * many));
        await stage.read(watch, 1);
        await stage.time.settle();
        const taken = (await stage.taken?.()) ?? 0;
        assert.ok(taken >= 1, `an event came, and taken() says ${taken}`);
        assert.ok(
          taken <= maxUnacknowledged,
          `it has taken ${taken} of ${happened} things from its origin while one event was read; its maxUnacknowledged is ${maxUnacknowledged}`,
        );
        if (declared.durability === "origin")
          assert.ok(
            happened > maxUnacknowledged,
            `only ${happened} things happened: give the source a smaller maxUnacknowledged`,
          );
      },
    );
  }
}
