import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Mode, measure, type Run, type Workload } from "./measure.ts";

/** A process that prints these lines and then idles, as the contract asks, or ends. */
function run(mode: Mode, lines: readonly object[], { ends = false } = {}): Promise<Run> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const script = `process.stdout.write(${JSON.stringify(text)}); ${ends ? "" : "setInterval(() => {}, 1000)"}`;
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const implementation = { id: "fake", name: "fake", folder, command: [process.execPath, "-e", script] };
  const workload: Workload = {
    mode,
    objects: 3,
    sweeps: 1,
    events: 0,
    rate: 0,
    idleMs: 0,
    quietMs: 0,
    timeoutMs: 20_000,
  };
  return measure(implementation, { kubeconfigFile: "", pids: [process.pid] }, workload);
}

const synced = { event: "synced", n: 3, ms: 1 };
const start = { event: "sweep_start" };
const done = { event: "done" };

test("measure samples a process at every line that it prints, and kills it when it is done", async () => {
  const { lines, problem } = await run("sync", [synced, done]);
  assert.equal(problem, undefined);
  assert.deepEqual(
    lines.map(({ event }) => event),
    ["synced", "done", "idle"],
  );
  assert.ok((lines[0]?.use?.rssMb ?? 0) > 0);
});

test("measure wants every sweep to have patched every object", async () => {
  const good = await run("sweep", [synced, start, { event: "sweep", i: 0, count: 3 }, done]);
  assert.equal(good.problem, undefined);
  const missed = await run("sweep", [synced, start, { event: "sweep", i: 0, count: 2 }, done]);
  assert.equal(missed.problem, "its sweeps patched 2 objects, not 3 each");
  assert.equal((await run("sweep", [synced, done])).problem, "its sweeps patched no objects, not 3 each");
});

test("measure finds a cache that is not whole, and a process that ends before it is done", async () => {
  assert.equal((await run("sync", [{ ...synced, n: 2 }, done])).problem, "it has 2 objects, not 3");
  assert.equal((await run("sync", [synced], { ends: true })).problem, "it ended, or took too long, before it was done");
});
