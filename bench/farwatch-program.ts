// The measured process of `npm run bench`: our own runtime on the contract of README.md. Env: KUBECONFIG, MODE, M, SWEEPS, E.
import {
  channelSource,
  createManager,
  defineController,
  enqueueRequestsFromMapFunc,
  formatTime,
  groupResource,
  keyOf,
  type ObjectKey,
  silentLogger,
  systemClock,
  watch,
} from "farwatch";
import { namespace, StorageBucket } from "./storage-bucket.ts";

const startMs = performance.now();
const startEpochMs = Date.now();
const mode = process.env.MODE ?? "sync";
const setting = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);

let reconciles = 0;
let probing = false;
let onStart: ((name: string) => void) | undefined;
const latencies: number[] = [];

// An event without a key asks for every object.
const events = channelSource<ObjectKey | undefined>({ name: "events", needLeaderElection: false });
const mapEvent = enqueueRequestsFromMapFunc(async (key: ObjectKey | undefined, { cache }) =>
  key === undefined ? (await cache.list(StorageBucket)).map(keyOf) : [key],
);
const controller = defineController({
  for: StorageBucket,
  wakeOn: mode === "sweep" ? "spec" : "any",
  watches: [watch(events, mapEvent)],
  concurrency: 32,
  async reconcile(request, { client, clock, signal }) {
    onStart?.(request.name);
    try {
      const bucket = await client.find(StorageBucket, request, { signal });
      if (bucket === undefined) return;
      if (probing)
        await client.patchStatus(bucket, { available: true, lastProbeTime: formatTime(clock.now()) }, { signal });
      if (mode === "latency") sawStamp(Number(bucket.metadata.annotations?.["bench/ts"] ?? 0) / 1e6);
    } finally {
      reconciles += 1;
    }
  },
});

const stop = new AbortController();
const manager = createManager({ log: silentLogger, http: false, leaderElection: false }).add(controller);
// It runs until it is killed; what ends it before that is a fault, and shows.
manager.start({ signal: stop.signal }).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
const changes = manager.metrics.counter({
  name: "farwatch_informer_events_total",
  help: "Changes that the server told of, by type.",
  labelNames: ["resource", "selector", "type"],
});
/** Counted where the watch is read: events of one object merge while its reader is slow. */
const modified = (): number => changes.read({ resource: groupResource(StorageBucket), selector: "", type: "MODIFIED" });

const say = (event: string, fields: object = {}): void => {
  process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
};
const sinceMs = (ms: number): number => Math.round((performance.now() - ms) * 1_000) / 1_000;
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await systemClock.sleep(1);
};
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function sawStamp(stampMs: number): void {
  if (stampMs > startEpochMs) latencies.push(performance.timeOrigin + performance.now() - stampMs);
}

function sayPercentiles(event: string, values: readonly number[], fields: object = {}): void {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number | undefined => sorted[Math.floor(sorted.length * share)];
  say(event, { n: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1), ...fields });
}

await manager.cache.synced(stop.signal);
const n = (await manager.cache.list(StorageBucket)).length;
say("synced", { n, ms: sinceMs(startMs) });
await until(() => reconciles >= n);
say("reconciled", { n: reconciles, ms: sinceMs(startMs) });

const modes: Readonly<Record<string, () => Promise<void>>> = { sync: async () => {}, sweep, churn, latency, tick };
await modes[mode]?.();
say("done");

async function sweep(): Promise<void> {
  probing = true;
  for (let i = 0; i < setting("SWEEPS", 1); i += 1) {
    // lastProbeTime has a resolution of one second.
    await systemClock.sleep(1_200);
    const before = { reconciles, modified: modified() };
    say("sweep_start");
    const fromMs = performance.now();
    await events.send(undefined);
    await until(() => reconciles >= before.reconciles + n);
    const ms = sinceMs(fromMs);
    await until(() => modified() >= before.modified + n);
    say("sweep", { i, count: reconciles - before.reconciles, ms, settledMs: sinceMs(fromMs) });
  }
}

async function churn(): Promise<void> {
  const before = { reconciles, modified: modified() };
  const wanted = setting("M", 100_000);
  say("ready");
  await until(() => modified() > before.modified);
  const fromMs = performance.now();
  await until(() => modified() >= before.modified + wanted);
  const ms = sinceMs(fromMs);
  say("churn", { events: modified() - before.modified, reconciles: reconciles - before.reconciles, ms });
}

async function latency(): Promise<void> {
  say("ready");
  await until(() => latencies.length >= setting("M", 2_000));
  sayPercentiles("latency", latencies);
}

async function tick(): Promise<void> {
  await systemClock.sleep(300);
  const key = (i: number): ObjectKey => ({ namespace, name: `bucket-${String(i).padStart(6, "0")}` });

  const startedUs: number[] = [];
  for (let i = 0; i < 3_000; i += 1) {
    await nextTurn();
    const started = new Promise<number>((resolve) => {
      onStart = () => resolve(performance.now());
    });
    const fromMs = performance.now();
    await events.send(key(i % n));
    startedUs.push(((await started) - fromMs) * 1_000);
  }
  sayPercentiles("tick_latency_us", startedUs.slice(1_000));

  const total = setting("E", 200_000);
  const keys = Array.from({ length: Math.min(n, 1_000) }, (_, i) => key(i));
  const before = reconciles;
  const last = new Promise<void>((resolve) => {
    onStart = (name) => {
      if (name === "sentinel") resolve();
    };
  });
  say("tick_start");
  const fromMs = performance.now();
  for (let i = 0; i < total; i += 1) await events.send(keys[i % keys.length]);
  await events.send({ namespace, name: "sentinel" });
  await last;
  const ms = sinceMs(fromMs);
  const eventsPerSec = Math.round((total / ms) * 1_000);
  say("tick_throughput", { events: total, reconciles: reconciles - before, ms, eventsPerSec });

  onStart = undefined;
  const fanOutMs: number[] = [];
  for (let i = 0; i < 20; i += 1) {
    await systemClock.sleep(50);
    const base = reconciles;
    const fromMs = performance.now();
    await events.send(undefined);
    while (reconciles < base + n) await nextTurn();
    fanOutMs.push(sinceMs(fromMs));
  }
  sayPercentiles("tick_fanout_ms", fanOutMs, { objects: n });
}
