// A thread of the day pool: plays the days that it is sent, one after the other.
import { parentPort } from "node:worker_threads";
import { planDay } from "./day-plan.ts";
import type { AskedDay, PlayedDay } from "./day-pool.ts";
import { createMutant } from "./mutant.ts";
import { simulateDay } from "./simulated-day.ts";

const port = parentPort;
if (port === null) throw new Error("Cannot play days: this file is a thread of the day pool");
port.on("message", async ({ seed, mutant }: AskedDay) => {
  try {
    const result = await simulateDay(planDay(seed), mutant === undefined ? {} : createMutant(mutant, seed));
    port.postMessage({ seed, result } satisfies PlayedDay);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    port.postMessage({ seed, error: text } satisfies PlayedDay);
  }
});
