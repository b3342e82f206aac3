import assert from "node:assert/strict";
import { test } from "node:test";
import { planDay } from "./day-plan.ts";
import { createMutant } from "./mutant.ts";
import { simulateDay } from "./simulated-day.ts";

for (let seed = 1; seed <= 20; seed += 1) {
  test(`operator keeps every promise on the simulated day of seed ${seed}`, async () => {
    const { violations, probes } = await simulateDay(planDay(seed));
    assert.deepEqual(violations, []);
    assert.ok(probes > 2_500, `${probes} probes of 2,880 that a quiet day has`);
  });
}

test("simulation plays the day of a seed the same way twice", async () => {
  assert.deepEqual(await simulateDay(planDay(3)), await simulateDay(planDay(3)));
});

test("simulation notices an event of a watch that is dropped", async () => {
  const { violations } = await simulateDay(planDay(1), createMutant("drop-event", 1));
  assert.notDeepEqual(violations, []);
});

test("simulation notices a failed reconcile that is not tried again", async () => {
  const { violations } = await simulateDay(planDay(1), createMutant("drop-requeue", 1));
  assert.deepEqual([...new Set(violations.map(({ promise }) => promise))], ["what failed is tried again (4, 6)"]);
});

test("simulation notices a leader that does not ask whether its lease still holds", async () => {
  const { violations } = await simulateDay(planDay(3), createMutant("skip-fence", 3));
  assert.deepEqual([...new Set(violations.map(({ promise }) => promise))], ["no write after the renew deadline (12)"]);
});
