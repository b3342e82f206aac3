import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createDayPool } from "./day-pool.ts";

const pool = createDayPool();
after(() => pool[Symbol.asyncDispose]());

// All are asked for at once, since they are played side by side; each test waits for its own.
const days = Array.from({ length: 20 }, (_, index) => ({ seed: index + 1, played: pool.play({ seed: index + 1 }) }));
const again = pool.play({ seed: 3 });
const eventDropped = pool.play({ seed: 1, mutant: "drop-event" });
const requeueDropped = pool.play({ seed: 14, mutant: "drop-requeue" });
const fenceSkipped = pool.play({ seed: 3, mutant: "skip-fence" });

for (const { seed, played } of days) {
  test(`operator keeps every promise on the simulated day of seed ${seed}`, async () => {
    const { violations, probes } = await played;
    assert.deepEqual(violations, []);
    assert.ok(probes > 2_500, `${probes} probes of 2,880 that a quiet day has`);
  });
}

test("simulation plays the day of a seed the same way twice", async () => {
  assert.deepEqual(await again, await days[2]?.played);
});

test("simulation notices an event of a watch that is dropped", async () => {
  const { violations } = await eventDropped;
  assert.notDeepEqual(violations, []);
});

test("simulation notices a failed reconcile that is not tried again", async () => {
  const { violations } = await requeueDropped;
  assert.deepEqual([...new Set(violations.map(({ promise }) => promise))], ["what failed is tried again (4, 6)"]);
});

test("simulation notices a leader that does not ask whether its lease still holds", async () => {
  const { violations } = await fenceSkipped;
  assert.deepEqual([...new Set(violations.map(({ promise }) => promise))], ["no write after the renew deadline (12)"]);
});
