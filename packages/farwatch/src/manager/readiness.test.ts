import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedCache } from "../doubles/scripted-cache.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import { Secret } from "../resource/kind/secret.ts";
import { iterableSource } from "../source/iterable-source.ts";
import { formatChecks, isHealthy, runChecks } from "./health.ts";
import { createReadiness } from "./readiness.ts";

function setUp() {
  const clock = createVirtualClock();
  const cache = createScriptedCache({ synced: false });
  const metrics = createMetrics();
  const hub = createScriptedHub({ clock, cache, metrics, log: silentLogger });
  const election: { elector?: { problem: string | undefined } } = {};
  const readiness = createReadiness({ cache, hub, elector: () => election.elector });
  const look = async () => {
    const results = await runChecks(readiness(), clock);
    return { healthy: isHealthy(results), text: formatChecks("readyz", results, true) };
  };
  return { clock, cache, metrics, hub, election, look };
}

// Promise 3
test("readiness shows a failing source within a second, is lost for a critical one alone, and comes back", async () => {
  const { clock, metrics, hub, look } = setUp();
  let broken = true;
  const source = (name: string, critical: boolean) =>
    iterableSource(
      name,
      async function* ({ clock: time, signal }) {
        if (broken) throw new Error(`${name} does not answer`);
        yield* time.ticks("1s", signal);
      },
      { critical },
    );
  hub.subscribe(source("broker", true), { name: "w" });
  hub.subscribe(source("poller", false), { name: "w" });
  const stop = new AbortController();
  const closed = hub.open("leader", stop.signal);
  await clock.advance("0.5s");
  const failing = await look();
  assert.equal(failing.healthy, false);
  assert.match(failing.text, /\[-\]source\/broker failed: broker does not answer/);
  assert.match(failing.text, /\[!\]source\/poller degraded: poller does not answer/);
  const gauge = metrics.gauge({ name: "farwatch_source_failing", help: "", labelNames: ["source"] });
  assert.deepEqual([gauge.read({ source: "broker" }), gauge.read({ source: "poller" })], [1, 1]);
  broken = false;
  await clock.advance("5s");
  assert.equal((await look()).text, "[+]source/broker ok\n[+]source/poller ok\nreadyz check passed\n");
  stop.abort();
  await clock.advance("10s");
  await closed;
});

test("readiness tells of each informer how it is", async () => {
  const { cache, look } = setUp();
  cache.informer(ConfigMap);
  cache.informer(Secret);
  cache.sync(ConfigMap);
  const { healthy, text } = await look();
  assert.equal(healthy, false);
  assert.equal(text, "[+]informer/configmaps ok\n[-]informer/secrets failed: syncing\nreadyz check failed\n");
  cache.sync();
  assert.equal((await look()).healthy, true);
});

test("readiness is lost while a replica cannot stand for election, and not while another leads", async () => {
  const { election, look } = setUp();
  assert.equal((await look()).text, "readyz check passed\n");
  election.elector = { problem: undefined };
  assert.equal((await look()).text, "[+]leader-election ok\nreadyz check passed\n");
  election.elector.problem = "Cannot get leases ops/app: forbidden";
  const { healthy, text } = await look();
  assert.equal(healthy, false);
  assert.match(text, /^\[-\]leader-election failed: Cannot get leases ops\/app: forbidden$/m);
});
