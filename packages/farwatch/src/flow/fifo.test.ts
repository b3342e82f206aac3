import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createFifo } from "./fifo.ts";

test("fifo behaves like an array that is pushed and shifted", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(), fc.constant("shift" as const)), { maxLength: 200 }), (steps) => {
      const fifo = createFifo<number>();
      const model: number[] = [];
      for (const step of steps) {
        if (step === "shift") {
          assert.equal(fifo.shift(), model.shift());
        } else {
          fifo.push(step);
          model.push(step);
        }
        assert.equal(fifo.size, model.length);
        assert.equal(fifo.peek(), model[0]);
      }
    }),
  );
});

test("fifo gives everything back across the cuts of its list", () => {
  const fifo = createFifo<number>();
  let pushed = 0;
  let shifted = 0;
  for (let round = 0; round < 5_000; round += 1) {
    for (let each = 0; each < 3; each += 1) fifo.push(pushed++);
    for (let each = 0; each < 2; each += 1) assert.equal(fifo.shift(), shifted++);
  }
  for (; shifted < pushed; shifted += 1) assert.equal(fifo.shift(), shifted);
  assert.equal(fifo.size, 0);
  assert.equal(fifo.shift(), undefined);
});
