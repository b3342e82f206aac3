import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { createDuplicateWindow, type Outcome } from "./duplicate-window.ts";

function setUp(most = 100) {
  const clock = createVirtualClock();
  const window = createDuplicateWindow({ clock, windowMs: 60_000, most });
  let taken = 0;
  const take =
    (outcome: Outcome | Promise<Outcome>): (() => Promise<Outcome>) =>
    async () => {
      taken += 1;
      return outcome;
    };
  return { clock, window, take, taken: () => taken };
}

const held: Outcome = { held: true };

test("duplicate window takes an event once until the window has passed", async () => {
  const { clock, window, take, taken } = setUp();
  assert.deepEqual(await window.once("a", take(held)).outcome, held);
  await clock.advance("59s");
  const again = window.once("a", take(held));
  assert.deepEqual([again.isDuplicate, await again.outcome, taken()], [true, held, 1]);
  await clock.advance("1s");
  await window.once("a", take(held)).outcome;
  assert.equal(taken(), 2);
});

test("duplicate window forgets an event that was given back, or whose taking failed", async () => {
  const { window, take, taken } = setUp();
  assert.deepEqual(await window.once("a", take({ held: false })).outcome, { held: false });
  await assert.rejects(window.once("a", take(Promise.reject(new Error("lost")))).outcome, /lost/);
  assert.deepEqual(await window.once("a", take(held)).outcome, held);
  assert.equal(taken(), 3);
});

test("duplicate window lets a second delivery wait for what becomes of the first", async () => {
  const { window, take, taken } = setUp();
  const first = Promise.withResolvers<Outcome>();
  const both = [window.once("a", take(first.promise)), window.once("a", take(held))];
  first.resolve({ held: false });
  assert.deepEqual(await Promise.all(both.map(({ outcome }) => outcome)), [{ held: false }, { held: false }]);
  assert.equal(taken(), 1);
});

test("duplicate window is bounded: the oldest go first", async () => {
  const { window, take } = setUp(2);
  for (const id of ["a", "b", "c"]) await window.once(id, take(held)).outcome;
  assert.deepEqual(
    ["a", "b", "c"].map((id) => window.isNew(id)),
    [true, false, false],
  );
});
