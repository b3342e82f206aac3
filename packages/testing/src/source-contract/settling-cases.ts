import assert from "node:assert/strict";
import { settledInPeace } from "./contract-promise.ts";
import { type Check, type ContractSubject, range } from "./contract-subject.ts";

/** Registers the tests of what settles an event. */
export function registerSettlingCases<T>(
  check: Check<T>,
  { declared, isNumbered, isWhole, numberOf }: ContractSubject<T>,
): void {
  // Promise 4
  check(
    "has each event settled exactly once",
    {
      promise: 4,
      lookAt: "the `ack` of each event: with durability `origin` every event carries one of its own",
    },
    async (stage) => {
      const watch = stage.subscribe("watch");
      await stage.open();
      await stage.happen(1, 2, 3);
      for (const { hold } of await stage.read(watch, [1, 2, 3])) {
        hold.done();
        hold.giveBack();
      }
      await stage.time.settle();
      assert.equal(stage.state.unacknowledged, 0);
      assert.deepEqual(
        new Set(stage.settlements.counts).difference(new Set([1])),
        new Set(),
        "settled never, or twice",
      );
      if (declared.durability === "origin") assert.ok(stage.settlements.counts.length >= 3, "its events carry no ack");
    },
  );

  // Promise 4
  check(
    "takes acknowledgements without failing, those too that come when its stream has closed",
    settledInPeace,
    async (stage) => {
      const watch = stage.subscribe("watch");
      await stage.open();
      await stage.happen(...range(1, 6));
      const held = await stage.read(watch, range(1, 6));
      const givenBack: number[] = [];
      const settleEach = (events: typeof held): void => {
        for (const [index, { event, hold }] of events.entries()) {
          if (index % 3 === 0) hold.done();
          else if (index % 3 === 1) hold.reject(new Error("there is no such thing"));
          else {
            hold.giveBack();
            if (isNumbered) givenBack.push(numberOf?.(event) ?? 0);
          }
        }
      };
      settleEach(held.slice(0, 3));
      await stage.close();
      settleEach(held.slice(3));
      await stage.time.pass("10s");
      await stage.time.settle();
      if (!isNumbered) return;
      await stage.open();
      await stage.time.pass("2s");
      await stage.work(watch, givenBack);
    },
  );

  if (isNumbered && declared.durability === "origin") {
    // Promise 4
    check(
      "settles at its origin what is done while it is closed, so that it does not come again",
      {
        promise: 4,
        lookAt: "when `ack.done` tells the origin: before the stream ends, not with the next read",
      },
      async (stage) => {
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
      },
    );
  }

  if (isWhole && !declared.restates) {
    // Promise 4
    check(
      "is not read while maxUnacknowledged of its events are not settled",
      {
        promise: 4,
        lookAt: "how `events` makes its values: one when it is asked for, and none ahead",
      },
      async (stage) => {
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
      },
    );
  }
}
