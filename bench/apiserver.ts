/**
 * `npm run bench:apiserver [-- --objects 10000 --watchers 100 --events 10000 --beside]`: what the embedded API server takes to
 * start (the median of new processes), to create and list objects, to tell watchers of events, client and server in one
 * process, and to play 24 simulated hours of the operator. `--beside` puts the same load on a kube-apiserver, of which the
 * ratios are kube-apiserver's time by ours. Prints JSON.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { startKubeApiserver } from "@farwatch/testing";
import { readCommandLine } from "../tests/command-line.ts";

const usage = `Usage: npm run bench:apiserver -- [options]

What the embedded API server takes to start, to create and list objects, to tell watchers of events, and to play 24 simulated
hours of the operator. Prints JSON.

  --objects N   default 10000
  --watchers N  default 100
  --events N    default 10000
  --starts N    processes that are started, default 9
  --beside      puts the same load on a kube-apiserver, and compares
`;
const { values } = readCommandLine({
  name: "npm run bench:apiserver",
  usage,
  options: {
    objects: { type: "string", default: "10000" },
    watchers: { type: "string", default: "100" },
    events: { type: "string", default: "10000" },
    starts: { type: "string", default: "9" },
    beside: { type: "boolean", default: false },
  },
});
type Figures = Readonly<Record<string, number>>;
const workload = [values.objects, values.watchers, values.events];
const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

say(`Starting ${values.starts} processes`);
const starts: Figures[] = [];
for (let i = 0; i < Number(values.starts); i += 1) starts.push(await run(["start"]));
const started = { import_ms: median(starts, "import_ms"), start_ms: median(starts, "start_ms") };
say("Loading the embedded server");
const loaded = await run(["load", ...workload]);
say("Playing simulated days");
const embedded: Figures = { ...started, ...loaded, ...(await run(["day"])) };
process.stdout.write(
  `${JSON.stringify({ embedded, ...(values.beside ? await beside(embedded) : {}) }, undefined, 2)}\n`,
);

async function beside(ours: Figures): Promise<object> {
  const startMs = performance.now();
  await using server = await startKubeApiserver({ log: say });
  const start = { start_ms: Math.round(performance.now() - startMs) };
  say("Loading kube-apiserver");
  const theirs: Figures = { ...start, ...(await run(["load", ...workload], { KUBECONFIG: server.kubeconfigFile })) };
  const timed = Object.keys(theirs).filter((name) => name.endsWith("_ms"));
  const ratios = timed.map((name) => [name, Math.round(((theirs[name] ?? 0) / (ours[name] ?? 0)) * 10) / 10]);
  return { "kube-apiserver": theirs, ratios: Object.fromEntries(ratios) };
}

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Figures> {
  // Without NODE_OPTIONS it imports what was built, as a user's program would.
  const { NODE_OPTIONS: _, KUBECONFIG: _outer, ...outer } = process.env;
  const child = spawn(process.execPath, ["--no-warnings", "bench/apiserver-program.ts", ...args], {
    env: { ...outer, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const printed = await text(child.stdout);
  const [code] = await ended;
  if (code !== 0) throw new Error(`Cannot bench: ${args[0]} ended with ${code}`);
  return JSON.parse(printed) as Figures;
}

function median(all: readonly Figures[], name: string): number {
  const sorted = all.map((figures) => figures[name] ?? 0).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
