import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { z } from "zod";
import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import { defineController } from "../controller/define-controller.ts";
import { watch } from "../controller/watch.ts";
import { createScriptedCluster } from "../doubles/scripted-cluster.fixture.ts";
import { createScriptedManager } from "../doubles/scripted-manager.fixture.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { CodedError, isCodedError, messageOf } from "../error/coded-error.ts";
import { enqueueAll } from "../handler/enqueue-all.ts";
import { enqueueRequestsFromMapFunc } from "../handler/enqueue-requests-from-map-func.ts";
import { unguessablePath } from "../ingress/unguessable-path.ts";
import { type Logger, silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { withFinalizer } from "../reconcile/with-finalizer.ts";
import { defineResource } from "../resource/define-resource.ts";
import { Lease } from "../resource/kind/lease.ts";
import { channelSource } from "../source/channel-source.ts";
import { iterableSource } from "../source/iterable-source.ts";
import { tickerSource } from "../source/ticker-source.ts";
import { webhookSource } from "../source/webhook-source.ts";
import { createManager } from "./create-manager.ts";
import type { LeaderElectionOptions, ManagerOptions } from "./manager.ts";

const Bucket = defineResource({
  group: "example.farwatch.dev",
  version: "v1",
  kind: "Bucket",
  spec: z.object({ name: z.string() }),
  status: z.object({ seen: z.number().optional(), at: z.string().optional() }),
});

const election: LeaderElectionOptions = { leaseName: "app", namespace: "ops", identity: "a" };

function setUp(options: ManagerOptions = {}) {
  const env = createScriptedManager(options);
  const addBuckets = (count: number): void => {
    for (let i = 0; i < count; i += 1)
      env.cluster.put(Bucket, { metadata: { namespace: "x", name: `b${i}` }, spec: { name: `b${i}` } });
  };
  return { ...env, addBuckets };
}

/** Counts its runs, and writes a status that is another each time. */
function counting(): { readonly runs: string[]; readonly reconcile: Reconciler } {
  const runs: string[] = [];
  return {
    runs,
    async reconcile(request, { client, clock, signal }) {
      const bucket = await client.find(Bucket, request, { signal });
      if (bucket === undefined) return;
      runs.push(request.name);
      await client.patchStatus(bucket, { seen: runs.length, at: clock.now().toISOString() }, { signal });
    },
  };
}

// B01
// Promise 10
test("manager runs a ticked controller once a tick, and its own status writes wake it never", async () => {
  const env = setUp();
  const { runs, reconcile } = counting();
  env.addBuckets(1);
  env.manager.add(
    defineController({ for: Bucket, watches: [watch(tickerSource({ every: "60s" }), enqueueAll(Bucket))], reconcile }),
  );
  await env.start();
  await env.clock.advance("600s");
  assert.equal(runs.length, 11);
  assert.equal(env.cluster.writes.length, 11);
  await env.stopped();
});

test("manager ends its start with a source's package that is not installed", async () => {
  for (const needLeaderElection of [true, false]) {
    const env = setUp();
    const missing = new CodedError("MissingDependency", "Cannot open source s: the package nats is not installed");
    const open = (): AsyncIterable<string> => {
      throw missing;
    };
    const source = iterableSource("s", open, { needLeaderElection });
    env.manager.add(
      defineController({ for: Bucket, watches: [watch(source, enqueueAll(Bucket))], async reconcile() {} }),
    );
    await env.start();
    await env.clock.advance("1m");
    assert.deepEqual(env.ended(), { error: missing });
  }
});

test("manager without an ingress refuses a source that it would have to serve, and says what to give", async () => {
  const path = "/hooks/pY3kQm9vT2sLw8ZrB5nXcA";
  const work = () =>
    defineController({
      for: Bucket,
      watches: [watch(webhookSource({ path, auth: unguessablePath() }), enqueueAll(Bucket))],
      async reconcile() {},
    });
  const env = setUp();
  assert.throws(() => env.manager.add(work()), {
    code: "InvalidOption",
    message: "Cannot serve source webhook: the manager has no ingress, give createManager `ingress: { port }`",
  });
  setUp({ ingress: { host: "127.0.0.1", port: 0 } }).manager.add(work());
});

// B03
test("manager keeps requeueAfter through the event of the run's own status write", async () => {
  const env = setUp();
  const at: number[] = [];
  env.addBuckets(1);
  env.manager.add(
    defineController({
      for: Bucket,
      wakeOn: "spec",
      async reconcile(request, { client, clock, signal }) {
        const bucket = await client.get(Bucket, request, { signal });
        at.push(clock.elapsed());
        await client.patchStatus(bucket, { seen: at.length }, { signal });
        return { requeueAfter: "30s" };
      },
    }),
  );
  await env.start();
  await env.clock.advance("95s");
  assert.deepEqual(at, [0, 30_000, 60_000, 90_000]);
  await env.stopped();
});

// B09
test("manager handles what was sent to a channel before it started, in order, once each", async () => {
  const env = setUp();
  const seen: string[] = [];
  const channel = channelSource<string>({ name: "before" });
  await channel.send("e1");
  await channel.send("e2");
  env.manager.add(
    defineController({
      for: Bucket,
      watches: [
        watch(
          channel,
          enqueueRequestsFromMapFunc((name) => [{ name }]),
        ),
      ],
      async reconcile({ name }) {
        seen.push(name);
      },
    }),
  );
  await env.start();
  await env.clock.advance("5s");
  assert.deepEqual(seen, ["e1", "e2"]);
  await env.stopped();
});

// B19
test("manager on a replica that does not lead keeps what its channel accepted, and handles it once it leads", async () => {
  const env = setUp({ leaderElection: election });
  env.cluster.put(Lease, {
    metadata: { namespace: "ops", name: "app" },
    spec: { holderIdentity: "other", leaseDurationSeconds: 15, renewTime: "2030-01-01T00:00:00.000000Z" },
  });
  const seen: string[] = [];
  const channel = channelSource<string>({ name: "posts", capacity: 10 });
  env.manager.add(
    defineController({
      for: Bucket,
      watches: [
        watch(
          channel,
          enqueueRequestsFromMapFunc((name) => [{ name }]),
        ),
      ],
      async reconcile({ name }) {
        seen.push(name);
      },
    }),
  );
  await env.start();
  for (let i = 0; i < 10; i += 1) await channel.send(`p${i}`);
  await assert.rejects(channel.send("one too many"), { code: "SourceNotOpen" });
  assert.deepEqual(seen, []);
  await env.clock.advance("20s");
  assert.equal(env.manager.leadership.isLeader, true);
  assert.deepEqual([...seen].sort(), ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"]);
  await env.stopped();
});

// B72
test("manager merges five ticks during a slow run into one request an object, and waits for the cache before it maps", async () => {
  const env = setUp();
  const runs: string[] = [];
  env.addBuckets(3);
  env.manager.add(
    defineController({
      for: Bucket,
      predicates: [() => false],
      concurrency: 3,
      watches: [watch(tickerSource({ every: "1s", immediate: true }), enqueueAll(Bucket))],
      async reconcile({ name }, { clock }) {
        runs.push(name);
        await clock.sleep(5_500);
      },
    }),
  );
  await env.start();
  await env.clock.advance("5s");
  assert.equal(runs.length, 3);
  await env.clock.advance("1s");
  assert.equal(runs.length, 6, "one pending run an object");
  await env.stopped();
});

// B81
test("manager adds no finalizer to objects of a controller that asks for none", async () => {
  const env = setUp();
  env.addBuckets(2);
  env.manager.add(defineController({ for: Bucket, ...counting() }));
  await env.start();
  await env.clock.advance("1m");
  for (const { metadata } of env.cluster.list(Bucket)) assert.equal(metadata.finalizers, undefined);
  await env.stopped();
});

test("manager keeps a finalizer while its cleanup fails", async () => {
  const env = setUp();
  let fail = true;
  env.cluster.put(Bucket, {
    metadata: {
      namespace: "x",
      name: "b",
      finalizers: ["example.com/cleanup"],
      deletionTimestamp: "2030-01-01T00:00:00Z",
    },
    spec: { name: "b" },
  });
  const patches: unknown[] = [];
  env.cluster.transport.on({ method: "PATCH" }, (request) => {
    patches.push(request.json);
    return { body: env.cluster.get(Bucket, { namespace: "x", name: "b" }) };
  });
  const finalize = async (): Promise<void> => {
    if (fail) throw new Error("the bucket is not empty");
  };
  env.manager.add(
    defineController({
      for: Bucket,
      reconcile: withFinalizer(Bucket, { name: "example.com/cleanup", finalize }, async () => {}),
    }),
  );
  await env.start();
  await env.clock.advance("1m");
  assert.deepEqual(patches, []);
  fail = false;
  await env.clock.advance("5m");
  assert.match(JSON.stringify(patches[0]), /"op":"remove","path":"\/metadata\/finalizers\/0"/);
  await env.stopped();
});

// Promise 13
test("manager.start resolves when everything it started has stopped, and leaves no timer behind", async () => {
  const env = setUp({ leaderElection: election });
  const ends: string[] = [];
  env.addBuckets(1);
  env.manager.add(defineController({ for: Bucket, ...counting() }));
  env.manager.add({
    name: "runnable",
    async start({ clock, signal }) {
      for await (const _ of clock.ticks("1s", signal));
      ends.push("leader");
    },
  });
  env.manager.add({
    name: "everywhere",
    needLeaderElection: false,
    async start({ signal }) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      ends.push("replica");
    },
  });
  await env.start();
  await env.clock.advance("5s");
  await env.stopped();
  assert.deepEqual(ends.sort(), ["leader", "replica"]);
  assert.equal(env.clock.pendingTimers, 0);
  assert.equal(env.cluster.transport.open, 0, "no watch is left open");
  assert.equal(
    (env.cluster.get(Lease, { namespace: "ops", name: "app" }) as Lease).spec?.holderIdentity,
    "",
    "the Lease was given up",
  );
});

// Promise 13
test("manager stops what it started when it is disposed of, and starts nothing afterwards", async () => {
  const env = setUp({ leaderElection: election });
  env.addBuckets(1);
  env.manager.add(defineController({ for: Bucket, ...counting() }));
  await env.start();
  await env.manager[Symbol.asyncDispose]();
  assert.deepEqual(env.ended(), {});
  assert.equal(env.clock.pendingTimers, 0);
  assert.equal(env.cluster.transport.open, 0, "no watch is left open");

  const other = setUp();
  await other.manager[Symbol.asyncDispose]();
  await other.manager.start({ signal: other.stop.signal });
  assert.equal(other.cluster.transport.requests.length, 0);
});

test("manager stops while its configuration is still being read", async () => {
  const clock = createVirtualClock();
  await using client = createClient({ config: new Promise(() => {}), clock });
  const stop = new AbortController();
  const ended = createManager({ client, clock, log: silentLogger }).start({ signal: stop.signal });
  stop.abort();
  await ended;
});

// Promise 13
test("manager.start rejects with ShutdownTimeout that names the sources that do not close", async () => {
  const env = setUp({ gracefulShutdownTimeout: "2s" });
  const never = new Promise<never>(() => {});
  for (const name of ["deaf", "mute"]) {
    const source = iterableSource(name, async function* (): AsyncGenerator<string> {
      yield await never;
    });
    const reconcile = async (): Promise<void> => {};
    env.manager.add(defineController({ for: Bucket, name, watches: [watch(source, enqueueAll(Bucket))], reconcile }));
  }
  await env.start();
  env.stop.abort();
  await env.clock.advance("2s");
  assert.match(String(env.ended()?.error), /Cannot stop within 2000 ms: still running: sources \(deaf, mute\); /);
  await env.clock.advance("10s");
});

test("manager.start rejects with ShutdownTimeout that names what still runs", async () => {
  const env = setUp({ gracefulShutdownTimeout: "10s" });
  env.addBuckets(1);
  env.manager.add(defineController({ for: Bucket, reconcile: () => new Promise(() => {}) }));
  await env.start();
  env.stop.abort();
  await env.clock.advance("9s");
  assert.equal(env.ended(), undefined);
  await env.clock.advance("1s");
  assert.ok(isCodedError(env.ended()?.error, "ShutdownTimeout"));
  assert.match(messageOf(env.ended()?.error), /still running: controller bucket \(x\/b0\)/);
});

// Promise 13
test("manager.start rejects with LeadershipLost when the Lease is lost", async () => {
  const env = setUp({ leaderElection: election });
  env.addBuckets(1);
  env.manager.add(defineController({ for: Bucket, ...counting() }));
  await env.start();
  await env.clock.advance("5s");
  env.cluster.transport.on({ path: /leases/ }, { silent: true });
  await env.clock.advance("15s");
  assert.ok(isCodedError(env.ended()?.error, "LeadershipLost"));
  assert.equal(env.manager.leadership.isLeader, false);
});

// Promise 13
test("manager.start rejects with LeadershipLost when a runnable ends with the refusal of its write", async () => {
  const env = setUp({ leaderElection: election });
  env.addBuckets(1);
  env.manager.add({
    name: "beacon",
    async start({ client, clock, signal }) {
      const [bucket] = await client.list(Bucket, { live: true, signal });
      for await (const at of clock.ticks("1s", signal)) {
        if (bucket !== undefined) await client.patchStatus(bucket, { at: at.toISOString() }, { unconditional: true });
      }
    },
  });
  await env.start();
  await env.clock.advance("4500ms");
  assert.equal(env.ended(), undefined);
  // As after a machine's sleep: the next write comes before any timer of the term.
  env.clock.jump(60_000);
  await env.clock.advance("1s");
  const error = env.ended()?.error;
  assert.ok(isCodedError(error, "LeadershipLost"), messageOf(error));
  assert.ok(isCodedError(error.cause, "NotLeader"));
});

// Promise 12
test("manager starts no write of leader work after the Lease may have been lost, and aborts those under way", async () => {
  const env = setUp({ leaderElection: { ...election, onLost: "campaign" } });
  env.addBuckets(1);
  const failed: unknown[] = [];
  env.manager.add(
    defineController({
      for: Bucket,
      async reconcile(request, { client, clock }) {
        const bucket = await client.get(Bucket, request);
        for (;;) {
          await clock.sleep("500ms");
          try {
            await client.patchStatus(bucket, { at: clock.now().toISOString() }, { unconditional: true });
          } catch (error) {
            failed.push(error);
            return;
          }
        }
      },
    }),
  );
  await env.start();
  await env.clock.advance("4s");
  const renewals = (): readonly number[] =>
    env.cluster.writes.filter(({ path }) => path.includes("/leases/")).map(({ at }) => at);
  const lastSentMs = renewals().at(-1) ?? Number.NaN;
  env.cluster.transport.on({ path: /leases/ }, { silent: true });
  await env.clock.advance("30s");
  const statusWrites = env.cluster.writes.filter(({ path }) => path.endsWith("/status")).map(({ at }) => at);
  assert.ok(
    Math.max(...statusWrites) < lastSentMs + 10_000,
    "no write starts later than renewDeadline after the last renewal was sent",
  );
  assert.ok(Math.max(...statusWrites) >= lastSentMs + 9_000, "and until then they go on");
  assert.equal(failed.length, 1);
  assert.ok(isCodedError(failed[0], "NotLeader") || isCodedError(failed[0], "LeadershipLost"));
  env.stop.abort();
  await env.clock.advance("1m");
});

// Promise 13
test("manager stands for election again after a lost Lease when it is told to, once all leader work has ended", async () => {
  const env = setUp({ leaderElection: { ...election, onLost: "campaign" } });
  env.addBuckets(1);
  const { runs, reconcile } = counting();
  env.manager.add(defineController({ for: Bucket, reconcile }));
  await env.start();
  await env.clock.advance("5s");
  assert.equal(runs.length, 1);
  const spec = (env.cluster.get(Lease, { namespace: "ops", name: "app" }) as Lease).spec;
  env.cluster.put(Lease, { metadata: { namespace: "ops", name: "app" }, spec: { ...spec, holderIdentity: "thief" } });
  await env.clock.advance("3s");
  assert.equal(env.manager.leadership.isLeader, false);
  assert.equal(env.ended(), undefined);
  await env.clock.advance("20s");
  assert.equal(env.manager.leadership.isLeader, true);
  assert.equal(runs.length, 2, "a new leader looks at every object");
  await env.stopped();
});

// B83
test("manager leaves a request alone after its last attempt until something changes", async () => {
  const env = setUp();
  let attempts = 0;
  env.addBuckets(1);
  env.manager.add(
    defineController({
      for: Bucket,
      maxAttempts: 4,
      async reconcile(request, { client, clock, attempt }) {
        attempts += 1;
        if (attempt === 4)
          await client.patchStatus(await client.get(Bucket, request), { at: clock.now().toISOString() });
        throw new Error("always");
      },
    }),
  );
  await env.start();
  await env.clock.advance("1h");
  assert.equal(attempts, 4);
  assert.equal(env.cluster.writes.length, 1);
  env.cluster.put(Bucket, { metadata: { namespace: "x", name: "b0" }, spec: { name: "changed" } });
  await env.clock.advance("1h");
  assert.equal(attempts, 8);
  await env.stopped();
});

test("manager.start rejects with the error of a runnable that failed, after everything else has stopped", async () => {
  const env = setUp();
  env.addBuckets(1);
  env.manager.add(defineController({ for: Bucket, ...counting() }));
  const fault = new Error("the runnable is broken");
  env.manager.add({
    name: "broken",
    async start({ clock, signal }) {
      await clock.sleep("3s", signal);
      throw fault;
    },
  });
  await env.start();
  await env.clock.advance("4s");
  assert.equal(env.ended()?.error, fault);
  assert.equal(env.cluster.transport.open, 0);
});

test("manager.start rejects with a fault within a controller's own work instead of going on without it", async () => {
  const fault = new Error("the log is full");
  const log: Logger = {
    ...silentLogger,
    error() {
      throw fault;
    },
    child: () => log,
  };
  const env = setUp({ log });
  env.addBuckets(1);
  env.manager.add(
    defineController({
      for: Bucket,
      async reconcile() {
        throw new Error("the reconcile failed");
      },
    }),
  );
  await env.start();
  await env.clock.advance("1s");
  assert.equal(env.ended()?.error, fault);
});

test("manager stops though a reconciler asks to run again at once, for ever", async () => {
  const { manager, stop, addBuckets } = setUp();
  addBuckets(1);
  let runs = 0;
  manager.add(
    defineController({
      for: Bucket,
      async reconcile() {
        runs += 1;
        return { requeueAfter: 0 };
      },
    }),
  );
  const ended = manager.start({ signal: stop.signal });
  while (runs === 0) await readFile(import.meta.filename);
  stop.abort();
  await ended;
});

test("manager in a cluster elects a leader by itself, whether controllers or runnables need one", async () => {
  const lead = { name: "sweeper", needLeaderElection: true as const, options: {}, async start() {} };
  const all = { name: "reporter", needLeaderElection: false as const, async start() {} };
  const controller = defineController({ for: Bucket, ...counting() });
  for (const [works, leases] of [
    [[lead, controller], ["bucket"]],
    [[all, lead], ["sweeper"]],
    [[all], []],
  ] as const) {
    const clock = createVirtualClock();
    const cluster = createScriptedCluster(clock);
    const config = { ...staticConfig({ server: "https://api", namespace: "ops" }), inCluster: true };
    const client = createClient({ config, transport: cluster.transport, clock });
    const manager = createManager({ client, clock, log: silentLogger, metrics: createMetrics(), http: false });
    for (const work of works) manager.add(work);
    const stop = new AbortController();
    const ended = manager.start({ signal: stop.signal });
    await clock.settle();
    assert.deepEqual(
      cluster.list(Lease).map(({ metadata }) => metadata.name),
      leases,
    );
    stop.abort();
    await clock.advance("1m");
    await ended;
  }
});

test("manager refuses a second start, a late addition and a name that is taken", async () => {
  const env = setUp();
  env.manager.add(defineController({ for: Bucket, ...counting() }));
  assert.throws(() => env.manager.add(defineController({ for: Bucket, ...counting() })), {
    code: "DuplicateName",
    message: "Cannot add bucket: a controller or runnable of that name was added before, give one of them another name",
  });
  await env.start();
  await assert.rejects(env.manager.start({ signal: env.stop.signal }), { code: "AlreadyStarted" });
  await env.stopped();
  assert.throws(() => env.manager.add({ name: "late", async start() {} }), {
    code: "AlreadyStarted",
    message: "Cannot add late: the manager has stopped, create a new one",
  });
});

test("manager resyncs every object once a period when it is told to, and asks no predicate about it", async () => {
  const env = setUp();
  const { runs, reconcile } = counting();
  env.addBuckets(5);
  env.manager.add(
    defineController({ for: Bucket, resync: "10m", predicates: [({ type }) => type === "create"], reconcile }),
  );
  await env.start();
  assert.equal(runs.length, 5);
  await env.clock.advance("30m");
  assert.equal(runs.length, 20);
  await env.stopped();
});

// Promise 9
test("reconciler sees its own write at its next read, though the watch is late", async () => {
  const env = setUp();
  const seen: unknown[] = [];
  env.addBuckets(1);
  env.manager.add(
    defineController({
      for: Bucket,
      async reconcile(request, { client, signal }) {
        const bucket = await client.get(Bucket, request, { signal });
        await client.patchStatus(bucket, { seen: 1 }, { signal });
        seen.push((await client.get(Bucket, request, { signal })).status?.seen);
      },
    }),
  );
  await env.start();
  await env.clock.advance("10s");
  assert.deepEqual(seen, [1]);
  await env.stopped();
});
