import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { commandOf } from "./build.ts";
import type { Implementation } from "./implementation.ts";
import type { MeasuredTarget } from "./target.ts";
import { machineCpuSeconds, quietMachine, type Usage, usageOf } from "./usage.ts";

export const modes = ["sync", "sweep", "churn", "latency", "tick"] as const;
export type Mode = (typeof modes)[number];

export interface Workload {
  readonly mode: Mode;
  readonly objects: number;
  /** Events of churn, samples of latency. */
  readonly events: number;
  /** Events a second; 0: as fast as they are taken. */
  readonly rate: number;
  readonly sweeps: number;
  /** How long a synced process is watched afterwards. */
  readonly idleMs: number;
  /** The longest wait for a machine that does nothing else. */
  readonly quietMs: number;
  readonly timeoutMs: number;
}

/** A line that the process printed, and what had been used since the start of what it tells of. */
export interface Line {
  readonly event: string;
  readonly [field: string]: unknown;
  readonly use?: Interval;
}

/** What was used between two lines. */
export interface Interval {
  readonly wallSeconds: number;
  readonly clientCpuSeconds: number;
  readonly serverCpuSeconds: number;
  /** CPUs that anything else kept busy: above 0.2 the run is doubtful. */
  readonly otherCpus: number;
  readonly rssMb: number;
  readonly peakRssMb: number;
}

export interface Run {
  readonly lines: readonly Line[];
  /** Undefined when it did what the contract says. */
  readonly problem: string | undefined;
}

/** The line at which what a line tells of began; others began with the process. */
const beginnings: Readonly<Record<string, string>> = {
  sweep: "sweep_start",
  churn: "ready",
  latency: "ready",
  tick_throughput: "tick_start",
};

interface Sample extends Usage {
  readonly serverCpuSeconds: number;
  readonly machineCpuSeconds: number;
}

/** Starts the process, samples it at every line that it prints, and kills it when it is done. */
export async function measure(
  implementation: Implementation,
  target: MeasuredTarget,
  workload: Workload,
): Promise<Run> {
  await quietMachine(workload.quietMs);
  const { mode, objects, events, sweeps } = workload;
  const { NODE_OPTIONS: _, ...outer } = process.env;
  const settings = {
    KUBECONFIG: target.kubeconfigFile,
    MODE: mode,
    N: `${objects}`,
    M: `${events}`,
    SWEEPS: `${sweeps}`,
  };
  const [command = "", ...args] = commandOf(implementation.command, implementation);

  const server = (): number => target.pids.reduce((sum, pid) => sum + usageOf(pid).cpuSeconds, 0);
  const nothing: Usage = { atMs: performance.now(), cpuSeconds: 0, rssMb: 0, peakRssMb: 0 };
  const sampled = (usage: Usage): Sample => ({
    ...usage,
    serverCpuSeconds: server(),
    machineCpuSeconds: machineCpuSeconds(),
  });
  const samples = new Map<string, Sample>([["spawn", sampled(nothing)]]);
  const child = spawn(command, args, {
    cwd: implementation.folder,
    env: { ...outer, ...settings, ...implementation.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const limit = setTimeout(() => child.kill("SIGKILL"), workload.timeoutMs);
  const lines: Line[] = [];
  const driven: Promise<object | undefined>[] = [];
  try {
    for await (const text of createInterface({ input: child.stdout })) {
      if (!text.startsWith("{")) continue;
      const line = JSON.parse(text) as Line;
      const sample = sampled(usageOf(child.pid as number));
      samples.set(line.event, sample);
      const begin = samples.get(beginnings[line.event] ?? "spawn") ?? sample;
      lines.push({ ...line, use: between(begin, sample) });
      if (line.event === "ready") driven.push(drive(target, workload));
      if (line.event === "done") break;
    }
    const done = lines.at(-1)?.event === "done";
    if (done && mode === "sync") {
      await new Promise((resolve) => setTimeout(resolve, workload.idleMs));
      const begin = samples.get("spawn") as Sample;
      lines.push({ event: "idle", use: between(begin, sampled(usageOf(child.pid as number))) });
    }
    for (const answer of done ? await Promise.all(driven) : []) if (answer !== undefined) lines.push(answer as Line);
    return { lines, problem: done ? broken(lines, workload) : "it ended, or took too long, before it was done" };
  } finally {
    clearTimeout(limit);
    child.kill("SIGKILL");
    await ended;
  }
}

async function drive(target: MeasuredTarget, { mode, events, rate }: Workload): Promise<object | undefined> {
  if (mode === "latency") return await target.poke?.(events, rate);
  await target.blast?.(events, rate);
  return undefined;
}

function between(from: Sample, to: Sample): Interval {
  const wallSeconds = (to.atMs - from.atMs) / 1_000;
  const clientCpuSeconds = to.cpuSeconds - from.cpuSeconds;
  const serverCpuSeconds = to.serverCpuSeconds - from.serverCpuSeconds;
  const others = to.machineCpuSeconds - from.machineCpuSeconds - clientCpuSeconds - serverCpuSeconds;
  return {
    wallSeconds: round(wallSeconds),
    clientCpuSeconds: round(clientCpuSeconds),
    serverCpuSeconds: round(serverCpuSeconds),
    otherCpus: round(Math.max(0, others) / Math.max(wallSeconds, 1e-3)),
    rssMb: to.rssMb,
    peakRssMb: to.peakRssMb,
  };
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** What a process says must be what it was asked to do. */
function broken(lines: readonly Line[], { mode, objects, sweeps }: Workload): string | undefined {
  const synced = lines.find(({ event }) => event === "synced")?.n;
  if (synced !== objects) return `it has ${synced} objects, not ${objects}`;
  if (mode !== "sweep") return undefined;
  const counts = lines.flatMap(({ event, count }) => (event === "sweep" ? [count] : []));
  const right = counts.length === sweeps && counts.every((count) => count === objects);
  return right ? undefined : `its sweeps patched ${counts.join(", ") || "no"} objects, not ${objects} each`;
}
