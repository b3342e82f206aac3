import assert from "node:assert/strict";
import { test } from "node:test";
import { type Instant, instantOf } from "../clock/instant.ts";
import { setCondition } from "./condition.ts";
import type { Condition } from "./object.ts";

const at = (second: number): Instant => instantOf(1_893_456_000_000 + second * 1_000);
const available: Omit<Condition, "lastTransitionTime"> = {
  type: "Available",
  status: "True",
  reason: "Answered",
  message: "ok",
};

// B36
test("setCondition moves lastTransitionTime only when the status changes", () => {
  let conditions = setCondition(undefined, available, at(0));
  for (let probe = 1; probe < 100; probe += 1) {
    conditions = setCondition(
      conditions,
      { ...available, observedGeneration: probe, message: `ok ${probe}` },
      at(probe % 60),
    );
    assert.equal(conditions[0]?.lastTransitionTime, "2030-01-01T00:00:00Z");
    assert.equal(conditions[0]?.observedGeneration, probe);
  }
  conditions = setCondition(conditions, { ...available, status: "False", reason: "Refused" }, at(50));
  assert.equal(conditions[0]?.lastTransitionTime, "2030-01-01T00:00:50Z");
  conditions = setCondition(conditions, available, at(51));
  assert.equal(conditions[0]?.lastTransitionTime, "2030-01-01T00:00:51Z");
});

test("setCondition gives the very list back when nothing changes", () => {
  const conditions = setCondition([], available, at(0));
  assert.equal(setCondition(conditions, { ...available }, at(9)), conditions);
});

test("setCondition leaves the other conditions where they are", () => {
  const ready = { ...available, type: "Ready" };
  const conditions = setCondition(setCondition([], available, at(0)), ready, at(1));
  const changed = setCondition(conditions, { ...available, message: "fine" }, at(2));
  assert.deepEqual(
    changed.map(({ type, message }) => `${type} ${message}`),
    ["Available fine", "Ready ok"],
  );
  assert.equal(conditions[0]?.message, "ok");
  assert.equal(changed[1], conditions[1]);
});
