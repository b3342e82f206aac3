/**
 * `npm run bench:seed [-- --objects 10000]`: examples/01-seed, built, on StorageBuckets of a real kube-apiserver, started as its
 * `npm start` starts it and then with Node's own settings. A line of JSON each: synced_ms (from process start), rss_mb (10 s after
 * that, in the middle of the first sweep), hwm_mb (the most it ever had), patches and sweep_ms (of one event from outside),
 * idle_reconciles (in the 10 s after that), cpu_s (all in all).
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { StorageBucket } from "@farwatch/example-01-seed";
import { serveKind, startKubeApiserver } from "@farwatch/testing";
import { createClient, loadConfig, systemClock } from "farwatch";
import { readCommandLine } from "../tests/command-line.ts";

const usage = `Usage: npm run bench:seed -- [options]

examples/01-seed, built, on StorageBuckets of a real kube-apiserver: lines of JSON with its times, memory and patches.

  --objects N  default 10000
`;
const { values } = readCommandLine({
  name: "npm run bench:seed",
  usage,
  options: { objects: { type: "string", default: "10000" } },
});
const objects = Number(values.objects);
const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

await using kube = await startKubeApiserver({ log: say });
await using client = createClient({ config: loadConfig({ kubeconfig: kube.kubeconfigFile }) });
await serveKind(client, StorageBucket);
say(`Creating ${objects} StorageBuckets`);
await createBuckets();
for (const flags of [startFlags(), []]) {
  say(`Measuring ${["node", ...flags].join(" ")}`);
  process.stdout.write(`${JSON.stringify({ flags: flags.join(" "), ...(await measure(flags)) })}\n`);
}

/** The flags that the example's own `npm start` gives Node. */
function startFlags(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync("examples/01-seed/package.json", "utf8"));
  return scripts.start.split(" ").filter((word: string) => word.startsWith("--"));
}

async function createBuckets(): Promise<void> {
  let created = 0;
  const create = async (): Promise<void> => {
    while (created < objects) {
      const name = `bucket-${String(created).padStart(6, "0")}`;
      created += 1;
      if (created % 2_000 === 0) say(`  ${created}`);
      const spec = { url: `https://s3.example.com/${name}` };
      await client.create(StorageBucket, { metadata: { namespace: "default", name }, spec });
    }
  };
  await Promise.all(Array.from({ length: 32 }, create));
}

async function measure(flags: readonly string[]): Promise<Readonly<Record<string, number>>> {
  // Without NODE_OPTIONS the program imports what was built, as a user's would.
  const { NODE_OPTIONS: _, ...env } = process.env;
  const program = spawn(process.execPath, [...flags, "--no-warnings", "bench/seed-program.ts"], {
    env: { ...env, KUBECONFIG: kube.kubeconfigFile },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => program.once("close", resolve));
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, number>> => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the measured process ended early");
    return JSON.parse(value);
  };
  const count = async (): Promise<number> => {
    program.stdin.write("count\n");
    return (await next()).probes ?? 0;
  };
  const memoryMb = (field: "VmRSS" | "VmHWM"): number => {
    const lines = readFileSync(`/proc/${program.pid}/status`, "utf8").split("\n");
    return Math.round(Number(/\d+/.exec(lines.find((line) => line.startsWith(field)) ?? "")?.[0]) / 1_024);
  };
  const cpuSeconds = (): number => {
    const [user, system] =
      readFileSync(`/proc/${program.pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13) ?? [];
    return (Number(user) + Number(system)) / 100;
  };
  const untilCount = async (wanted: number): Promise<void> => {
    while ((await count()) < wanted) await systemClock.sleep(100);
  };
  try {
    const { ms: syncedMs = 0, objects: cached = 0 } = await next();
    if (cached !== objects) throw new Error(`the cache holds ${cached} objects, not ${objects}`);
    await systemClock.sleep("10s");
    const rssMb = memoryMb("VmRSS");
    await untilCount(objects);
    await systemClock.sleep("2s");
    const before = { probes: await count(), patches: await patches() };
    const startMs = systemClock.elapsed();
    program.stdin.write("tick\n");
    await untilCount(before.probes + objects);
    while ((await patches()) < before.patches + objects) await systemClock.sleep(100);
    const sweepMs = Math.round(systemClock.elapsed() - startMs);
    const after = { probes: await count(), patches: await patches() };
    await systemClock.sleep("10s");
    return {
      synced_ms: syncedMs,
      rss_mb: rssMb,
      hwm_mb: memoryMb("VmHWM"),
      patches: after.patches - before.patches,
      sweep_ms: sweepMs,
      idle_reconciles: (await count()) - after.probes,
      cpu_s: cpuSeconds(),
    };
  } finally {
    program.kill();
    await ended;
  }
}

/** Status patches that the API server has answered with success, by its own count. */
async function patches(): Promise<number> {
  const response = await client.rest.request({ method: "GET", path: "/metrics" });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const counted =
    /^apiserver_request_total\{.*code="200".*resource="storagebuckets".*subresource="status".*verb="PATCH"/;
  return Buffer.concat(chunks)
    .toString("utf8")
    .split("\n")
    .filter((line) => counted.test(line))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}
