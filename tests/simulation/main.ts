/** `npm run simulate`: days of the operator in virtual time, under faults; see docs/testing.md. */
import { systemClock } from "farwatch";
import { oneOf, readCommandLine, wholeNumber } from "../command-line.ts";
import { planDay } from "./day-plan.ts";
import { createDayPool } from "./day-pool.ts";
import type { DayResult } from "./history.ts";
import { createMutant, mutantNames } from "./mutant.ts";
import { simulateDay } from "./simulated-day.ts";

const usage = `Usage: npm run simulate -- [options]

Plays days of the storage-bucket operator, two replicas and ten buckets, in virtual time and under faults drawn from a seed, and
checks what the runtime promises. Exits 1 at the first seed that breaks a promise.

  --seeds N      how many days, default 20
  --from N       the first seed, default 1
  --seed N       one day, with everything that happens in it
  --mutant NAME  breaks a promise on purpose: ${mutantNames.join(", ")}
`;

const command = { name: "npm run simulate", usage };
const { values } = readCommandLine({
  ...command,
  options: {
    seeds: { type: "string", default: "20" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    mutant: { type: "string" },
  },
});
const mutant =
  values.mutant === undefined ? undefined : oneOf(command, "mutant", { text: values.mutant, words: mutantNames });
const first =
  values.seed === undefined
    ? wholeNumber(command, "from", { text: values.from })
    : wholeNumber(command, "seed", { text: values.seed });
const count = values.seed === undefined ? wholeNumber(command, "seeds", { text: values.seeds, least: 1 }) : 1;
const startedAt = systemClock.elapsed();
const pool = createDayPool();
// One day alone is played here, where a debugger sees it.
const play = (seed: number): Promise<DayResult> =>
  count > 1
    ? pool.play({ seed, mutant })
    : simulateDay(planDay(seed), mutant === undefined ? {} : createMutant(mutant, seed));
const days = Array.from({ length: count }, (_, index) => ({ seed: first + index, played: play(first + index) }));
for (const { seed, played } of days) {
  if (values.seed !== undefined) {
    for (const { atMs, action } of planDay(seed).actions) {
      process.stdout.write(`${String(Math.round(atMs / 1000)).padStart(6)} s  ${JSON.stringify(action)}\n`);
    }
  }
  const { violations, probes, writes } = await played;
  const [violation] = violations;
  if (violation !== undefined) {
    const again = `npm run simulate -- --seed ${seed}${mutant === undefined ? "" : ` --mutant ${mutant}`}`;
    process.stdout.write(`seed ${seed} breaks a promise\n`);
    for (const { promise, atMs, text } of violations.slice(0, 10)) {
      process.stdout.write(`  ${promise}, at ${Math.round(atMs / 1000)} s: ${text}\n`);
    }
    process.stdout.write(`The same again: ${again}\n`);
    process.exit(1);
  }
  if (values.seed !== undefined || seed % 10 === 0 || count <= 20) {
    const seconds = ((systemClock.elapsed() - startedAt) / 1000).toFixed(1);
    process.stdout.write(
      `seed ${seed}: ${probes} probes, ${writes} writes, every promise held (${seconds} s so far)\n`,
    );
  }
}
process.stdout.write(`${count} days, every promise held\n`);
await pool[Symbol.asyncDispose]();
