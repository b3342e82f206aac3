import assert from "node:assert/strict";
import { test } from "node:test";
import { createDelivery, type Hold } from "../event/delivery.ts";
import { addCause } from "./causes.ts";

const sources = { one: {}, two: {} };

function events() {
  const settled: string[] = [];
  const event = (source: keyof typeof sources, place: number): Hold =>
    createDelivery(
      { done: () => settled.push(`${source} ${place} done`), retry: () => settled.push(`${source} ${place} retry`) },
      { from: { source: sources[source], place } },
    ).hold();
  return { settled, event };
}

const places = (causes: readonly Hold[]): readonly (number | undefined)[] => causes.map(({ from }) => from?.place);

// Promise 4
test("addCause keeps the youngest event of each source and is done with the older ones", () => {
  const { settled, event } = events();
  const causes: Hold[] = [];
  for (const cause of [event("one", 1), event("two", 9), event("one", 2), event("one", 3)]) addCause(causes, cause);
  assert.deepEqual(places(causes), [3, 9]);
  assert.deepEqual(settled, ["one 1 done", "one 2 done"]);
});

test("addCause is done with an event that comes after a younger one, as it does when its handler was tried again", () => {
  const { settled, event } = events();
  const causes: Hold[] = [];
  for (const cause of [event("one", 2), event("one", 1)]) addCause(causes, cause);
  assert.deepEqual(places(causes), [2]);
  assert.deepEqual(settled, ["one 1 done"]);
});

test("addCause keeps every event of no known source", () => {
  const causes: Hold[] = [];
  for (let count = 0; count < 2; count += 1) addCause(causes, createDelivery(undefined).hold());
  assert.equal(causes.length, 2);
});

test("addCause leaves an event unsettled that waits for another key, too", () => {
  const { settled, event } = events();
  const [a, b]: [Hold[], Hold[]] = [[], []];
  const older = event("one", 1);
  addCause(a, older.split());
  addCause(b, older.split());
  older.done();
  addCause(a, event("one", 2));
  assert.deepEqual(settled, []);
  addCause(b, event("one", 3));
  assert.deepEqual(settled, ["one 1 done"]);
});
