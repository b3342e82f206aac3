import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { StorageBucket, seed } from "@farwatch/example-01-seed";
import { type ServedKind, serveKind, sharedKubeApiserver } from "@farwatch/testing";
import { type Clock, createClient, createManager, loadConfig, Namespace, silentLogger, systemClock } from "farwatch";
import { eventually } from "../eventually.ts";

const namespace = "seed";
const client = createClient({ config: loadConfig({ kubeconfig: sharedKubeApiserver().kubeconfigFile }) });
let served: ServedKind;

before(async () => {
  served = await serveKind(client, StorageBucket);
  await client.create(Namespace, { metadata: { name: namespace } });
});
after(async () => {
  await served[Symbol.asyncDispose]();
  await client[Symbol.asyncDispose]();
});

/**
 * The system's clock, whose tickers fall silent after so many ticks, and wait before the n-th for `ready(n)`: ticks that come
 * faster than they are worked on would be one.
 */
function clockOf(ticks: number, ready: (tick: number) => Promise<unknown>): Clock {
  return {
    ...systemClock,
    async *ticks(every, signal) {
      let tick = 0;
      for await (const at of systemClock.ticks(every, signal)) {
        tick += 1;
        if (tick > ticks) continue;
        await ready(tick);
        yield at;
      }
    },
  };
}

function createBucket(name: string): Promise<StorageBucket> {
  return client.create(StorageBucket, { metadata: { namespace, name }, spec: { url: `https://s3.example/${name}` } });
}

// B01
// Promise 10
test("seed reconciles five buckets 5 + 15 times for the start and three ticks, and its own writes cause none", async () => {
  const names = ["b0", "b1", "b2", "b3", "b4"];
  for (const name of names) await createBucket(name);
  const probed: string[] = [];
  const { ticker, controller } = seed({
    every: "1s",
    probe: async ({ metadata }) => {
      probed.push(metadata.name);
      return true;
    },
  });
  const clock = clockOf(3, (tick) => eventually(`${5 * tick} probes`, () => probed.length >= 5 * tick));
  await using manager = createManager({ client, clock, log: silentLogger });
  const stop = new AbortController();
  const ended = manager.add(ticker).add(controller).start({ signal: stop.signal });
  await eventually("5 + 15 probes", () => probed.length >= 20);
  // Its reconcile comes after those that the last status writes might cause: their events come before its own.
  const written = await eventually("every status", async () => {
    const buckets = await client.list(StorageBucket, { namespace });
    return buckets.every(({ status }) => status?.available === true) && buckets;
  });
  await createBucket("marker");
  await eventually("the reconcile of the marker", () => probed.includes("marker"));
  stop.abort();
  await ended;

  const counts = names.map((name) => probed.filter((each) => each === name).length);
  assert.deepEqual(counts, [4, 4, 4, 4, 4]);
  for (const { status } of written) assert.match(status?.lastProbeTime ?? "", /^\d{4}-.*Z$/);
});

test("seed has at most 60 lines of source, of at most 120 columns", () => {
  const folder = fileURLToPath(new URL("../../examples/01-seed/", import.meta.url));
  const files = globSync("{*.ts,src/**/*.ts}", { cwd: folder }).filter((file) => !file.endsWith(".test.ts"));
  const lines = files.flatMap((file) => readFileSync(`${folder}/${file}`, "utf8").trimEnd().split("\n"));
  assert.deepEqual(files.toSorted(), ["src/main.ts", "src/seed.ts"]);
  assert.ok(lines.length <= 60, `${lines.length} lines`);
  assert.deepEqual(
    lines.filter((line) => line.length > 120),
    [],
  );
});
