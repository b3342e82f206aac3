/**
 * `npm run bench -- MODE… --target replay|real|embedded --n 10000 --impls cr,kube,farwatch`: this project beside its peers, as
 * README.md says. `npm run bench -- build [ID…]` and `npm run bench -- table`. Exits 1 when a run did not do as told.
 */
import { appendFileSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oneOf, readCommandLine, refuse } from "../tests/command-line.ts";
import { ensureBuilt } from "./harness/build.ts";
import { chooseImplementations, replay } from "./harness/implementation.ts";
import { type Line, type Mode, measure, modes, type Workload } from "./harness/measure.ts";
import { formatTables, type Result } from "./harness/table.ts";
import { openTarget, type TargetName, targetNames } from "./harness/target.ts";

const usage = `Usage: npm run bench -- MODE... [options]
       npm run bench -- build [ID...]
       npm run bench -- table

Measures this project beside its peers on the same work, as bench/README.md says. Exits 1 when a run did not do as told.
MODE: ${modes.join(", ")}. \`build\` builds what is measured, \`table\` prints what was measured before.

  --target NAME   ${targetNames.join(", ")}; default replay
  --impls IDS     which implementations, with commas; default all
  --n N           objects on the server, default 10000
  --m N           events or samples, default 100000, of latency 1500
  --rate N        events a second, default 100 for latency, else as fast as they go
  --reps N        repetitions of each, default 3
  --sweeps N      sweeps of a run, default 2
  --idle S        seconds that are looked at when all is done, default 10
  --quiet S       seconds that are waited at most for a quiet machine, default 8
  --timeout S     seconds that a run may take, default 120
  --plain         replay speaks HTTP/1.1 without TLS
  --out FOLDER    where results are kept
`;
const command = { name: "npm run bench", usage };
const { values, positionals } = readCommandLine({
  ...command,
  positionals: "any",
  options: {
    target: { type: "string", default: "replay" },
    impls: { type: "string", default: "" },
    n: { type: "string", default: "10000" },
    m: { type: "string" },
    rate: { type: "string" },
    reps: { type: "string", default: "3" },
    sweeps: { type: "string", default: "2" },
    idle: { type: "string", default: "10" },
    quiet: { type: "string", default: "8" },
    timeout: { type: "string", default: "120" },
    plain: { type: "boolean", default: false },
    out: { type: "string", default: join(tmpdir(), "farwatch-bench") },
  },
});
const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};
/** The fields that a run's line on the terminal shows. */
const shown = ["n", "ms", "count", "events", "reconciles", "settledMs", "p50", "p99", "eventsPerSec", "patchP50"];
const [first, ...rest] = positionals;
if (first === "table") print();
else if (first === "build") await build(rest);
else await bench(positionals);

async function build(ids: readonly string[]): Promise<void> {
  for (const what of [replay, ...chooseImplementations(ids)]) await ensureBuilt(what, { log: say });
}

function print(): void {
  const lines = globSync(join(values.out, "*.jsonl")).flatMap((file) =>
    readFileSync(file, "utf8").trimEnd().split("\n"),
  );
  if (lines.length === 0) throw new Error(`Cannot print tables: ${values.out} has no results; bench first`);
  process.stdout.write(`${formatTables(lines.map((line) => JSON.parse(line) as Result))}\n`);
}

async function bench(names: readonly string[]): Promise<void> {
  const chosen = chooseImplementations(values.impls.split(",").filter((id) => id !== ""));
  const target = oneOf(command, "target", { text: values.target, words: targetNames });
  const workloads = names.map((name) => workloadOf(modeOf(name), target));
  if (workloads.length === 0) refuse(command, "name a MODE, or build, or table");
  for (const what of [replay, ...chosen]) await ensureBuilt(what, { log: say });
  mkdirSync(values.out, { recursive: true });
  for (const workload of workloads) {
    await using server = await openTarget(target, { objects: workload.objects, plain: values.plain, say });
    // A B C A B C: what changes on the machine meanwhile changes for all.
    for (let repetition = 0; repetition < Number(values.reps); repetition += 1) {
      for (const implementation of chosen) {
        const run = await measure(implementation, server, workload);
        keep({
          at: new Date().toISOString(),
          id: implementation.id,
          mode: workload.mode,
          target: values.plain ? `${target} (plain)` : target,
          objects: workload.objects,
          events: workload.events,
          ...run,
        });
        say(`${implementation.id.padEnd(12)} ${run.problem ?? "done"} ${run.lines.flatMap(summary).join(" ")}`);
        if (run.problem !== undefined) process.exitCode = 1;
      }
    }
  }
  print();
}

function workloadOf(mode: Mode, target: TargetName): Workload {
  if (mode === "churn" && target !== "replay")
    throw new Error("Cannot bench churn: only replay can send events so fast");
  return {
    mode,
    objects: Number(values.n),
    events: Number(values.m ?? (mode === "latency" ? 1_500 : 100_000)),
    rate: Number(values.rate ?? (mode === "latency" ? 100 : 0)),
    sweeps: Number(values.sweeps),
    idleMs: Number(values.idle) * 1_000,
    quietMs: Number(values.quiet) * 1_000,
    timeoutMs: Number(values.timeout) * 1_000,
  };
}

function modeOf(name: string): Mode {
  return modes.find((mode) => mode === name) ?? refuse(command, `there is no ${name}`);
}

function keep(result: Result): void {
  const file = `${result.mode}-${values.target}-${result.objects}.jsonl`;
  appendFileSync(join(values.out, file), `${JSON.stringify(result)}\n`);
}

function summary({ event, use, ...fields }: Line): readonly string[] {
  const own = Object.entries(fields).filter(([name]) => shown.includes(name));
  if (own.length === 0 && event !== "idle") return [];
  const text = own.map(
    ([name, value]) => `${name}=${typeof value === "number" ? Math.round(value * 100) / 100 : value}`,
  );
  const used = use === undefined ? [] : [`cpu=${use.clientCpuSeconds}`, `rss=${use.rssMb}`, `other=${use.otherCpus}`];
  return [`${event}(${[...text, ...used].join(",")})`];
}
