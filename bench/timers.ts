/**
 * `npm run bench:timers [-- --objects 100000 --period 60 --seconds 20]`: what timerSource costs, built, on the system clock. A line
 * of JSON for each number of objects, a tenth of them and all: set_ms and set_us (until all have their place, and of one),
 * heap_bytes (of one timer, the object itself aside), timers (of the process while it waits), then of the seconds that follow:
 * events, late_ms (the median and the worst, against the grid), cpu_us (of the whole process, for an event) and timers_set.
 */
import assert from "node:assert/strict";
import { type Clock, defineBuiltin, gridOf, type KubeObject, nextOnGrid, systemClock, timerSource } from "farwatch";
import { createScriptedCache, createScriptedHub } from "farwatch/doubles";
import { readCommandLine } from "../tests/command-line.ts";

const usage = `Usage: npm run bench:timers -- [options]

What timerSource costs on the system clock: a line of JSON for a tenth of the objects, and one for all.

  --objects N  default 100000
  --period S   of each object, default 60
  --seconds S  for which they are looked at, default 20
`;
const { values } = readCommandLine({
  name: "npm run bench:timers",
  usage,
  options: {
    objects: { type: "string", default: "100000" },
    period: { type: "string", default: "60" },
    seconds: { type: "string", default: "20" },
  },
});
const Bucket = defineBuiltin({ group: "example.farwatch.dev", version: "v1", kind: "Bucket" });
const periodMs = Number(values.period) * 1_000;

for (const part of [0.1, 1]) {
  process.stdout.write(`${JSON.stringify(await measure(Math.round(Number(values.objects) * part)))}\n`);
}

async function measure(objects: number): Promise<Readonly<Record<string, unknown>>> {
  const cache = createScriptedCache();
  for (let index = 0; index < objects; index += 1) cache.put(Bucket, bucket(index));
  let timersSet = 0;
  const clock: Clock = {
    ...systemClock,
    schedule(after, run, options) {
      timersSet += 1;
      return systemClock.schedule(after, run, options);
    },
  };
  const hub = createScriptedHub({ clock, cache });
  const watch = hub.subscribe(timerSource(Bucket, { period: () => periodMs }), { name: "bench" });
  const stop = new AbortController();
  const heapBefore = heapBytes();
  const startMs = systemClock.elapsed();
  const closed = hub.open("leader", stop.signal);
  // The objects are all told at once: the first pause comes when each has its place.
  await systemClock.sleep(1);
  const setMs = systemClock.elapsed() - startMs;
  const heapOfOne = (heapBytes() - heapBefore) / objects;
  const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

  timersSet = 0;
  const lateMs: number[] = [];
  const reading = (async (): Promise<void> => {
    for (let next = await watch.receive(); next !== undefined; next = await watch.receive()) {
      const nowMs = systemClock.now().getTime();
      const { phaseMs } = gridOf(next.event.object.metadata.uid, periodMs, 0);
      lateMs.push(nowMs - (nextOnGrid(phaseMs, periodMs, nowMs) - periodMs));
      next.hold.done();
    }
  })();
  const cpuBefore = process.cpuUsage();
  await systemClock.sleep(`${Number(values.seconds)}s`);
  const { user, system } = process.cpuUsage(cpuBefore);
  const events = lateMs.length;
  stop.abort();
  await closed;
  await watch[Symbol.asyncDispose]();
  await reading;
  assert.ok(events > 0, "no timer came due");
  const sorted = lateMs.toSorted((a, b) => a - b);
  return {
    objects,
    set_ms: Math.round(setMs),
    set_us: round((setMs * 1_000) / objects),
    heap_bytes: Math.round(heapOfOne),
    timers,
    events,
    late_ms: [sorted[sorted.length >> 1], sorted.at(-1)],
    cpu_us: round((user + system) / events),
    timers_set: timersSet,
  };
}

function bucket(index: number): KubeObject {
  const uid = `3f0c8f4e-0000-4000-8000-${String(index).padStart(12, "0")}`;
  const metadata = { namespace: "bench", name: `b${index}`, uid, resourceVersion: "1" };
  return { apiVersion: Bucket.apiVersion, kind: Bucket.kind, metadata };
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
