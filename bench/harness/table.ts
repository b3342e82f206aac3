import { implementations } from "./implementation.ts";
import type { Interval, Line, Mode, Run } from "./measure.ts";

/** One run as it is kept, a line of JSON each. */
export interface Result extends Run {
  readonly at: string;
  readonly id: string;
  readonly mode: Mode;
  readonly target: string;
  readonly objects: number;
  readonly events: number;
}

interface Column {
  readonly title: string;
  /** The line that it is taken from, the first or a later one of that event. */
  readonly event: string;
  readonly nth?: number;
  readonly value: (line: Line, use: Interval) => number;
  readonly digits?: number;
}

const field = (line: Line, name: string): number => Number(line[name]);
const per = (line: Line, seconds: number, name: string, each: number): number => (seconds * each) / field(line, name);

const columns: Readonly<Record<Mode, readonly Column[]>> = {
  sync: [
    { title: "wall s", event: "synced", value: (_, use) => use.wallSeconds },
    { title: "client CPU s", event: "synced", value: (_, use) => use.clientCpuSeconds },
    { title: "server CPU s", event: "synced", value: (_, use) => use.serverCpuSeconds },
    { title: "RSS synced MB", event: "synced", value: (_, use) => use.rssMb, digits: 0 },
    { title: "RSS idle MB", event: "idle", value: (_, use) => use.rssMb, digits: 0 },
    { title: "peak RSS MB", event: "idle", value: (_, use) => use.peakRssMb, digits: 0 },
    { title: "CPU s with first reconciles and idle", event: "idle", value: (_, use) => use.clientCpuSeconds },
    { title: "other CPUs", event: "synced", value: (_, use) => use.otherCpus },
  ],
  sweep: [
    { title: "1st sweep s", event: "sweep", value: (line) => field(line, "settledMs") / 1_000 },
    { title: "2nd sweep s", event: "sweep", nth: 1, value: (line) => field(line, "settledMs") / 1_000 },
    {
      title: "client CPU s/1000 (1st)",
      event: "sweep",
      value: (line, use) => per(line, use.clientCpuSeconds, "count", 1_000),
      digits: 3,
    },
    {
      title: "client CPU s/1000 (2nd)",
      event: "sweep",
      nth: 1,
      value: (line, use) => per(line, use.clientCpuSeconds, "count", 1_000),
      digits: 3,
    },
    {
      title: "server CPU s/1000",
      event: "sweep",
      value: (line, use) => per(line, use.serverCpuSeconds, "count", 1_000),
      digits: 3,
    },
    { title: "RSS MB", event: "sweep", value: (_, use) => use.rssMb, digits: 0 },
    { title: "other CPUs", event: "sweep", value: (_, use) => use.otherCpus },
  ],
  churn: [
    { title: "wall s", event: "churn", value: (line) => field(line, "ms") / 1_000 },
    {
      title: "events/s",
      event: "churn",
      value: (line) => (field(line, "events") * 1_000) / field(line, "ms"),
      digits: 0,
    },
    {
      title: "client CPU s/1000 events",
      event: "churn",
      value: (line, use) => per(line, use.clientCpuSeconds, "events", 1_000),
      digits: 4,
    },
    {
      title: "server CPU s/1000",
      event: "churn",
      value: (line, use) => per(line, use.serverCpuSeconds, "events", 1_000),
      digits: 4,
    },
    { title: "reconciles", event: "churn", value: (line) => field(line, "reconciles"), digits: 0 },
    { title: "RSS MB", event: "churn", value: (_, use) => use.rssMb, digits: 0 },
    { title: "other CPUs", event: "churn", value: (_, use) => use.otherCpus },
  ],
  latency: [
    { title: "p50 ms", event: "latency", value: (line) => field(line, "p50") },
    { title: "p99 ms", event: "latency", value: (line) => field(line, "p99") },
    { title: "PATCH p50 ms (driver)", event: "poked", value: (line) => field(line, "patchP50") },
    { title: "PATCH p99 ms", event: "poked", value: (line) => field(line, "patchP99") },
    { title: "client CPU s", event: "latency", value: (_, use) => use.clientCpuSeconds },
    { title: "other CPUs", event: "latency", value: (_, use) => use.otherCpus },
  ],
  tick: [
    { title: "event to start p50 µs", event: "tick_latency_us", value: (line) => field(line, "p50"), digits: 1 },
    { title: "p99 µs", event: "tick_latency_us", value: (line) => field(line, "p99"), digits: 1 },
    { title: "events/s", event: "tick_throughput", value: (line) => field(line, "eventsPerSec"), digits: 0 },
    { title: "reconciles", event: "tick_throughput", value: (line) => field(line, "reconciles"), digits: 0 },
    {
      title: "client CPU s/1M events",
      event: "tick_throughput",
      value: (line, use) => per(line, use.clientCpuSeconds, "events", 1e6),
    },
    { title: "fan-out p50 ms", event: "tick_fanout_ms", value: (line) => field(line, "p50"), digits: 1 },
    { title: "fan-out p99 ms", event: "tick_fanout_ms", value: (line) => field(line, "p99"), digits: 1 },
  ],
};

/** Markdown tables, one for each workload: least / median of the repetitions, of which only those count that did as told. */
export function formatTables(results: readonly Result[]): string {
  const workload = ({ mode, target, objects, events }: Result): string =>
    `${mode}, ${target}, N=${objects}${mode === "churn" || mode === "latency" ? `, M=${events}` : ""}`;
  return [...Map.groupBy(results, workload)]
    .map(([title, runs]) => `### ${title} (least / median)\n\n${formatTable(runs)}`)
    .join("\n\n");
}

function formatTable(runs: readonly Result[]): string {
  const [{ mode }] = runs as readonly [Result, ...Result[]];
  const titles = ["", "runs", ...columns[mode].map(({ title }) => title)];
  const rows = implementations.flatMap(({ id, name }) => {
    const own = runs.filter((run) => run.id === id);
    const good = own.filter(({ problem }) => problem === undefined);
    return own.length === 0
      ? []
      : [[name, `${good.length}/${own.length}`, ...columns[mode].map((each) => cell(each, good))]];
  });
  return [titles, titles.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function cell({ event, nth = 0, value, digits = 2 }: Column, runs: readonly Result[]): string {
  const values = runs.flatMap(({ lines }) => {
    const line = lines.filter((each) => each.event === event)[nth];
    return line === undefined ? [] : [value(line, line.use ?? none)];
  });
  const [least, middle] = [values.toSorted((a, b) => a - b).at(0), median(values)];
  return least === undefined ? "-" : `${least.toFixed(digits)} / ${middle.toFixed(digits)}`;
}

const none: Interval = {
  wallSeconds: 0,
  clientCpuSeconds: 0,
  serverCpuSeconds: 0,
  otherCpus: 0,
  rssMb: 0,
  peakRssMb: 0,
};

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}
