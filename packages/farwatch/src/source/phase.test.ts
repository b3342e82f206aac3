import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { gridOf, nextOnGrid, phaseOf } from "./phase.ts";

test("phase of an id is the same in every version: due times must not move with an upgrade", () => {
  assert.equal(phaseOf("", 60_000), 40_135);
  assert.equal(phaseOf("3f0c8f4e-0000-4000-8000-000000000001", 60_000), 44_203);
  assert.equal(phaseOf("3f0c8f4e-0000-4000-8000-000000000002", 60_000), 46_535);
});

test("phases of ids that differ in one digit are spread evenly over the period", () => {
  const periodMs = 300_000;
  const perTenth = new Array<number>(10).fill(0);
  for (let index = 0; index < 5_000; index += 1) {
    const phaseMs = phaseOf(`3f0c8f4e-0000-4000-8000-${String(index).padStart(12, "0")}`, periodMs);
    const tenth = Math.floor((phaseMs / periodMs) * 10);
    perTenth[tenth] = (perTenth[tenth] ?? 0) + 1;
  }
  for (const count of perTenth) assert.ok(count > 400 && count < 600, `a tenth of the period holds ${count} of 5,000`);
});

test("next point of a grid is later than now by a period at the most, and on the grid", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.integer({ min: 1, max: 86_400_000 }),
      fc.integer({ min: 0, max: 4_102_444_800_000 }),
      (id, periodMs, nowMs) => {
        const phaseMs = phaseOf(id, periodMs);
        assert.ok(Number.isInteger(phaseMs) && phaseMs >= 0 && phaseMs < periodMs);
        const nextMs = nextOnGrid(phaseMs, periodMs, nowMs);
        assert.ok(nextMs > nowMs && nextMs <= nowMs + periodMs);
        assert.equal((nextMs - phaseMs) % periodMs, 0);
      },
    ),
  );
});

test("grid of a longer period has only points of every shorter one, with phaseOf at no doublings", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.integer({ min: 1, max: 86_400_000 }),
      fc.integer({ min: -10, max: 9 }),
      fc.integer({ min: 0, max: 4_102_444_800_000 }),
      (id, periodMs, doublings, afterMs) => {
        assert.deepEqual(gridOf(id, periodMs, 0), { phaseMs: phaseOf(id, periodMs), periodMs });
        const shorter = gridOf(id, periodMs, doublings);
        const longer = gridOf(id, periodMs, doublings + 1);
        assert.equal(longer.periodMs, 2 * shorter.periodMs);
        const atMs = nextOnGrid(longer.phaseMs, longer.periodMs, afterMs);
        assert.equal((atMs - shorter.phaseMs) % shorter.periodMs, 0);
      },
    ),
  );
});

test("grids of doubled periods spread ids evenly over the whole of them", () => {
  const periodMs = 60_000;
  const perPeriod = new Array<number>(8).fill(0);
  for (let index = 0; index < 4_000; index += 1) {
    const { phaseMs } = gridOf(`3f0c8f4e-0000-4000-8000-${String(index).padStart(12, "0")}`, periodMs, 3);
    const eighth = Math.floor(phaseMs / periodMs);
    perPeriod[eighth] = (perPeriod[eighth] ?? 0) + 1;
  }
  for (const count of perPeriod) assert.ok(count > 400 && count < 600, `one of eight periods has ${count} of 4,000`);
});
