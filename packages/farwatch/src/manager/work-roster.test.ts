import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import { defineController } from "../controller/define-controller.ts";
import { watch } from "../controller/watch.ts";
import { createScriptedCluster } from "../doubles/scripted-cluster.fixture.ts";
import { createScriptedManager } from "../doubles/scripted-manager.fixture.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError, messageOf } from "../error/coded-error.ts";
import { enqueueRequestsFromMapFunc } from "../handler/enqueue-requests-from-map-func.ts";
import { silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { defineResource } from "../resource/define-resource.ts";
import { Lease } from "../resource/kind/lease.ts";
import { channelSource } from "../source/channel-source.ts";
import type { Source } from "../source/source.ts";
import { createManager } from "./create-manager.ts";
import type { LeaderElectionOptions, ManagerOptions } from "./manager.ts";

const Bucket = defineResource({
  group: "example.farwatch.dev",
  version: "v1",
  kind: "Bucket",
  spec: z.object({}),
  status: z.object({ seen: z.number() }),
});

const election: LeaderElectionOptions = { leaseName: "app", namespace: "ops", identity: "a" };

function setUp(options: ManagerOptions = {}) {
  const metrics = createMetrics();
  return { ...createScriptedManager({ metrics, ...options }), metrics };
}

/** A controller that a source of names wakes, and what it has run. */
function woken(
  source: Source<string>,
  options: { readonly reconcile?: (...args: Parameters<Reconciler>) => Promise<void>; readonly name?: string } = {},
) {
  const runs: string[] = [];
  const controller = defineController({
    for: Bucket,
    name: options.name,
    watches: [
      watch(
        source,
        enqueueRequestsFromMapFunc((name) => [{ name }]),
      ),
    ],
    async reconcile(request, ctx) {
      if (options.reconcile !== undefined) await options.reconcile(request, ctx);
      runs.push(request.name);
    },
  });
  return { controller, runs };
}

test("manager starts a controller and a runnable at once that are added while it leads, within its term", async () => {
  const env = setUp({ leaderElection: election });
  env.cluster.put(Bucket, { metadata: { name: "b", namespace: "x" }, spec: {} });
  await env.start();
  const channel = channelSource<string>({ name: "late" });
  const { controller, runs } = woken(channel, {
    async reconcile({ name, namespace }, { client }) {
      if (namespace !== undefined) await client.patchStatus(await client.get(Bucket, { name, namespace }), { seen: 1 });
    },
  });
  const started: string[] = [];
  env.manager.add(controller).add({
    name: "beacon",
    async start({ client, clock, signal }) {
      started.push("beacon");
      const bucket = await client.get(Bucket, { name: "b", namespace: "x" }, { live: true });
      for await (const _ of clock.ticks("1s", signal))
        await client.patchStatus(bucket, { seen: 2 }, { unconditional: true });
    },
  });
  await channel.send("a");
  await env.clock.advance("5s");
  assert.deepEqual(runs.toSorted(), ["a", "b"]);
  assert.deepEqual(started, ["beacon"]);
  const writes = env.cluster.writes.length;
  assert.ok(writes > 4);
  // The Lease can be renewed no more: what was added is fenced like the rest.
  env.cluster.transport.on({ path: /leases/ }, { silent: true });
  await env.clock.advance("9s");
  const fenced = env.cluster.writes.length;
  await env.clock.advance("1m");
  assert.equal(env.cluster.writes.length, fenced);
  assert.ok(isCodedError(env.ended()?.error, "LeadershipLost"));
});

test("manager keeps work that is added while another replica leads until it leads itself", async () => {
  const env = setUp({ leaderElection: election });
  env.cluster.put(Lease, {
    metadata: { namespace: "ops", name: "app" },
    spec: { holderIdentity: "other", leaseDurationSeconds: 15, renewTime: "2030-01-01T00:00:00.000000Z" },
  });
  await env.start();
  const started: string[] = [];
  const work = (name: string, needLeaderElection: boolean) => ({
    name,
    needLeaderElection,
    async start() {
      started.push(name);
    },
  });
  env.manager.add({ ...work("leader", true), needLeaderElection: true });
  env.manager.add({ ...work("replica", false), needLeaderElection: false });
  await env.clock.advance("1s");
  assert.deepEqual(started, ["replica"]);
  await env.clock.advance("20s");
  assert.deepEqual(started, ["replica", "leader"]);
  await env.stopped();
});

// Promise 1
test("manager gives back what a removed controller has not worked on, closes its sources, stops its informers and frees its name", async () => {
  const env = setUp();
  const channel = channelSource<string>({ name: "names" });
  const first = woken(channel, { reconcile: ({ name }, { clock }) => clock.sleep(name === "a" ? "5s" : 0) });
  await env.start();
  env.manager.add(first.controller);
  await env.clock.settle();
  assert.equal(env.cluster.transport.open, 1, "Buckets are watched");
  for (const name of ["a", "b", "c"]) await channel.send(name);
  await env.clock.advance("1s");
  let removed = false;
  const removing = env.manager.remove(first.controller).then(() => {
    removed = true;
  });
  await env.clock.advance("3s");
  assert.equal(removed, false, "a run is under way");
  await env.clock.advance("1s");
  await removing;
  assert.deepEqual(first.runs, ["a"]);
  assert.equal(env.cluster.transport.open, 0);
  assert.deepEqual(env.manager.cache.informers, []);
  assert.equal(env.clock.pendingTimers, 0);
  const depth = env.metrics.gauge({ name: "workqueue_depth", help: "", labelNames: ["name", "controller"] });
  assert.equal(depth.read({ name: "bucket", controller: "bucket" }), undefined);

  // Another controller of that name, with another source of that name.
  const other = channelSource<string>({ name: "names" });
  const second = woken(other);
  env.manager.add(second.controller);
  await other.send("d");
  await env.clock.advance("1s");
  assert.deepEqual(second.runs, ["d"]);
  await env.stopped();
});

test("manager hands what a removed controller gave back to the next one that watches the source", async () => {
  const env = setUp();
  const channel = channelSource<string>({ name: "names" });
  const stuck = woken(channel, { reconcile: () => Promise.reject(new Error("not yet")) });
  env.manager.add(stuck.controller);
  await env.start();
  for (const name of ["a", "b"]) await channel.send(name);
  await env.clock.advance("1s");
  await env.manager.remove(stuck.controller);
  await channel.send("c");
  const next = woken(channel);
  env.manager.add(next.controller);
  await env.clock.advance("1s");
  assert.deepEqual(next.runs.toSorted(), ["a", "b", "c"]);
  await env.stopped();
});

test("manager holds nothing of a controller that it refused for its second source", async () => {
  const env = setUp();
  const [fine, taken] = [channelSource<string>({ name: "fine" }), channelSource<string>({ name: "taken" })];
  env.manager.add(woken(taken, { name: "first" }).controller);
  const refused = defineController({
    for: Bucket,
    watches: [
      watch(
        fine,
        enqueueRequestsFromMapFunc(() => []),
      ),
      watch(
        channelSource<string>({ name: "taken" }),
        enqueueRequestsFromMapFunc(() => []),
      ),
    ],
    async reconcile() {},
  });
  assert.throws(() => env.manager.add(refused), { code: "DuplicateName" });
  await env.clock.settle();
  assert.doesNotMatch((await env.manager.metrics.expose()).body, new RegExp(`controller="${refused.name}"`));
  env.manager.add(woken(channelSource<string>({ name: "fine" })).controller);
});

test("manager holds no more of what was counted when hundreds of controllers and their sources have come and gone", async () => {
  const env = setUp();
  await env.start();
  const series = async (): Promise<number> => (await env.metrics.expose()).body.split("\n").length;
  const comeAndGo = async (tenant: string): Promise<void> => {
    const uploads = channelSource<string>({ name: `uploads-${tenant}` });
    const { controller, runs } = woken(uploads, { name: tenant });
    env.manager.add(controller);
    await uploads.send("a");
    await env.clock.settle();
    assert.equal(runs.length, 1);
    await env.manager.remove(controller);
  };
  for (let n = 0; n < 120; n += 1) await comeAndGo(`tenant-${n}`);
  const before = await series();
  for (let n = 120; n < 180; n += 1) await comeAndGo(`tenant-${n}`);
  assert.equal(await series(), before);
  await env.stopped();
});

test("manager leaves what others watch and hold alone when it removes a controller", async () => {
  const env = setUp();
  const channel = channelSource<string>({ name: "names" });
  const [one, two] = [woken(channel, { name: "one" }), woken(channel, { name: "two" })];
  env.manager.add(one.controller).add(two.controller);
  await env.start();
  await env.manager.remove(one.controller);
  await channel.send("a");
  await env.clock.advance("1s");
  assert.deepEqual([one.runs, two.runs], [[], ["a"]]);
  await env.stopped();
});

test("manager.remove rejects with what the work throws on its way out, and the rest goes on", async () => {
  const env = setUp();
  const faulty = {
    name: "faulty",
    async start({ signal }: { readonly signal: AbortSignal }) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new Error("cannot close");
    },
  };
  env.manager.add(faulty);
  await env.start();
  await assert.rejects(env.manager.remove(faulty), { message: "cannot close" });
  await env.clock.advance("1s");
  assert.equal(env.ended(), undefined);
  env.manager.add({ name: "faulty", async start() {} });
  await env.stopped();
});

test("manager.remove rejects with ShutdownTimeout while the work goes on, and a further call waits for its end", async () => {
  const env = setUp({ gracefulShutdownTimeout: "10s" });
  const channel = channelSource<string>({ name: "names" });
  const { controller } = woken(channel, { reconcile: (_request, { clock }) => clock.sleep("15s") });
  env.manager.add(controller);
  await env.start();
  await channel.send("a");
  await env.clock.settle();
  const outcome = env.manager.remove(controller).catch((error: unknown) => error);
  await env.clock.advance("10s");
  const error = await outcome;
  assert.ok(isCodedError(error, "ShutdownTimeout"));
  assert.match(messageOf(error), /^Cannot remove bucket within 10000 ms: it still runs \(a\); /);
  assert.throws(() => env.manager.add(controller), { code: "DuplicateName" });
  const leaving = env.manager.remove(controller);
  await env.clock.advance("5s");
  await leaving;
  await env.stopped();
});

test("manager.remove takes away what has not started, and refuses what is not there", async () => {
  const env = setUp();
  const channel = channelSource<string>({ name: "names" });
  const { controller } = woken(channel);
  env.manager.add(controller);
  await env.manager.remove(controller);
  await assert.rejects(env.manager.remove(controller), {
    code: "NotFound",
    message: "Cannot remove bucket: this manager does not have it, give what was added",
  });
  await env.start();
  assert.equal(env.cluster.transport.open, 0);
  await env.stopped();
});

test("manager refuses work for the leader after a start in a cluster without any, since every replica would do it", async () => {
  const clock = createVirtualClock();
  const { transport } = createScriptedCluster(clock);
  const config = { ...staticConfig({ server: "https://api" }), inCluster: true, namespace: "ops" };
  const client = createClient({ config, transport, clock });
  const stop = new AbortController();
  const manager = createManager({ client, clock, log: silentLogger, metrics: createMetrics(), http: false });
  const ended = manager.start({ signal: stop.signal });
  await clock.settle();
  assert.throws(() => manager.add({ name: "late", async start() {} }), { code: "InvalidOption" });
  manager.add({ name: "everywhere", needLeaderElection: false, async start() {} });
  stop.abort();
  await clock.advance("1s");
  await ended;
});
