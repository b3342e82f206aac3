// The measured process of bench/seed.ts: examples/01-seed, built, driven by hand instead of by its ticker.
import { createInterface } from "node:readline";
import { StorageBucket, seed } from "@farwatch/example-01-seed";
import { createManager, silentLogger } from "farwatch";

let probes = 0;
const { ticks, controller } = seed({
  every: "1h",
  spread: 0,
  async probe() {
    probes += 1;
    return true;
  },
});
const stop = new AbortController();
const manager = createManager({ log: silentLogger, http: false }).add(controller);
const ended = manager.start({ signal: stop.signal });
await manager.cache.synced(stop.signal);
const say = (event: object): void => {
  process.stdout.write(`${JSON.stringify(event)}\n`);
};
// Counts from the start of the process, Node's own start included.
say({ event: "synced", ms: Math.round(performance.now()), objects: (await manager.cache.list(StorageBucket)).length });
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "count") say({ event: "count", probes });
  if (line === "tick") await ticks.send(undefined);
  if (line === "stop") break;
}
stop.abort();
await ended;
