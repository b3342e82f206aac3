import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import { type Random, seededRandom } from "../clock/random.ts";
import { createScriptedKind, type KindScript, type ScriptedKind } from "../doubles/scripted-kind.ts";
import { createScriptedTransport, type ScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import type { ObjectEvent } from "../event/source-event.ts";
import type { LogFields, Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { defineBuiltin } from "../resource/define-builtin.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import type { Resource } from "../resource/resource.ts";
import { TransportError } from "../transport/transport-error.ts";
import { formatKey, type KubeObject } from "../wire/object.ts";
import type { InformerOptions } from "./cache.ts";
import { type CacheOptions, createCache, type InformerCache } from "./create-cache.ts";

interface Bucket extends KubeObject {
  readonly spec?: { readonly size?: number };
}
const Bucket: Resource<Bucket> = defineBuiltin({ group: "example.farwatch.dev", version: "v1", kind: "Bucket" });
const path = "/apis/example.farwatch.dev/v1/buckets";

/** Stops when disposed of, and fails when the cache leaves a request or a timer behind. */
interface Stage extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly transport: ScriptedTransport;
  readonly server: ScriptedKind<Bucket>;
  readonly cache: InformerCache;
  readonly metrics: Metrics;
  readonly logged: string[];
  readonly stop: AbortController;
  start(): void;
}

function setUp(
  options: {
    readonly script?: Partial<KindScript>;
    readonly random?: Random;
    readonly kinds?: CacheOptions["kinds"];
  } = {},
): Stage {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  const server = createScriptedKind<Bucket>(transport, Bucket, options.script);
  const client = createClient({ config: staticConfig({ server: "https://api.test" }), transport, clock });
  const metrics = createMetrics();
  const logged: string[] = [];
  const note = (message: string, fields?: LogFields): void => {
    logged.push(`${message} ${String(fields?.problem ?? "")}`);
  };
  const log: Logger = { debug() {}, info: note, warn: note, error: note, child: () => log };
  const { random = () => 0.5, kinds } = options;
  const cache = createCache({ client, clock, log, metrics, random, kinds });
  const stop = new AbortController();
  let ended: Promise<void> | undefined;
  return {
    clock,
    transport,
    server,
    cache,
    metrics,
    logged,
    stop,
    start(): void {
      ended = cache.start(stop.signal);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort();
      await ended;
      assert.equal(transport.open, 0);
      assert.equal(clock.pendingTimers, 0);
    },
  };
}

const object = (name: string, size = 1, labels?: Readonly<Record<string, string>>) => ({
  metadata: { namespace: "a", name, ...(labels !== undefined && { labels }) },
  spec: { size },
});
const key = (name: string) => ({ namespace: "a", name });

/** Reads events as they come, as one line each. */
function follow(events: AsyncIterable<ObjectEvent<Bucket>>): {
  readonly lines: string[];
  readonly events: ObjectEvent<Bucket>[];
} {
  const lines: string[] = [];
  const seen: ObjectEvent<Bucket>[] = [];
  const read = async (): Promise<void> => {
    for await (const event of events) {
      seen.push(event);
      const { name, uid } = event.object.metadata;
      const notes = [
        event.type === "create" && event.inInitialList ? " initial" : "",
        event.type === "delete" && event.stateUnknown ? " unknown" : "",
      ];
      lines.push(`${event.type} ${name} ${uid}${notes.join("")}`);
    }
    lines.push("end");
  };
  read().catch((error: unknown) => lines.push(`error ${String(error)}`));
  return { lines, events: seen };
}

/** A cache that has synced three objects, with a reader that has taken them. */
async function synced(options: Parameters<typeof setUp>[0] & { readonly informer?: InformerOptions<Bucket> } = {}) {
  const stage = setUp(options);
  for (const name of ["a", "b", "c"]) stage.server.put(object(name));
  const informer = stage.cache.informer(Bucket, options.informer);
  const { lines, events } = follow(informer.events(stage.stop.signal));
  stage.start();
  await stage.clock.settle();
  assert.equal(informer.state.phase, "watching");
  assert.deepEqual(lines.splice(0), ["create a uid-1 initial", "create b uid-2 initial", "create c uid-3 initial"]);
  events.splice(0);
  return { ...stage, informer, lines, events };
}

const refused = {
  error: new TransportError("Cannot connect to api.test: connection refused", { phase: "connect", sent: false }),
};
const watchRequests = ({ transport }: Stage) => transport.requests.filter(({ query }) => query.get("watch") === "true");

test("cache lists by a stream where the server has it, and watches on", async () => {
  await using stage = await synced();
  const { transport, server, clock, informer, lines } = stage;
  assert.equal(transport.requests.length, 1);
  const { query } = transport.requests[0] ?? assert.fail();
  assert.equal(query.get("sendInitialEvents"), "true");
  assert.equal(query.get("resourceVersionMatch"), "NotOlderThan");
  assert.equal(query.get("allowWatchBookmarks"), "true");
  assert.equal(query.get("resourceVersion"), null);
  assert.equal(query.get("timeoutSeconds"), "450");
  server.put(object("d"));
  server.put(object("a", 2));
  server.remove(key("b"));
  await clock.settle();
  assert.deepEqual(lines, ["create d uid-4", "update a uid-1", "delete b uid-2"]);
  assert.equal(informer.size, 3);
  assert.equal(informer.get(key("a"))?.spec?.size, 2);
  assert.equal(informer.get(key("b")), undefined);
});

test("cache reads lists in pages from a server that refuses to stream them, and asks it only once", async () => {
  await using stage = await synced({ script: { streams: "refuses" } });
  const { transport, server, clock, lines } = stage;
  assert.deepEqual(
    transport.requests.map(({ query }) => query.get("watch") ?? `limit ${query.get("limit")}`),
    ["true", "limit 500", "true"],
  );
  server.compact();
  server.put(object("d"));
  server.compact();
  server.cut();
  await clock.advance("20s");
  assert.equal(transport.requests.filter(({ query }) => query.has("sendInitialEvents")).length, 1);
  assert.deepEqual(lines, ["create d uid-4"]);
});

test("cache reads lists in pages from a server that ignores the question for a streamed one", async () => {
  await using stage = setUp({ script: { streams: "ignores" } });
  stage.server.put(object("a"));
  const informer = stage.cache.informer(Bucket);
  stage.start();
  await stage.clock.settle();
  assert.equal(informer.state.synced, false);
  await stage.clock.advance("11s");
  assert.equal(informer.state.phase, "watching");
  assert.equal(informer.size, 1);
  stage.server.put(object("b"));
  await stage.clock.settle();
  assert.equal(informer.size, 2);
  assert.equal(stage.server.openWatches, 1);
});

test("cache reads lists in pages when a bookmark without the end mark comes first", async () => {
  await using stage = setUp({ script: { streams: "ignores" } });
  stage.server.put(object("a"));
  const informer = stage.cache.informer(Bucket);
  stage.start();
  await stage.clock.settle();
  stage.server.bookmark();
  await stage.clock.settle();
  assert.equal(informer.state.phase, "watching");
  assert.equal(informer.size, 1);
});

const streamedEvent = (type: string, metadata: object): string =>
  `${JSON.stringify({ type, object: { apiVersion: Bucket.apiVersion, kind: "Bucket", metadata } })}\n`;
const endOfList = { annotations: { "k8s.io/initial-events-end": "true" } };

for (const [what, answer] of [
  ["ends before the end mark", { body: streamedEvent("ADDED", { ...key("x"), uid: "x", resourceVersion: "1" }) }],
  ["has an end mark without a version", { body: streamedEvent("BOOKMARK", { ...endOfList, resourceVersion: "" }) }],
  ["has an end mark of version 0", { body: streamedEvent("BOOKMARK", { ...endOfList, resourceVersion: "0" }) }],
  ["is a list", { body: { kind: "BucketList", metadata: { resourceVersion: "5" }, items: [] } }],
  ["is a page in HTML", { headers: { "content-type": "text/html" }, body: "<html>\n</html>\n" }],
  ["is 400", { status: 400, body: { kind: "Status", reason: "BadRequest", code: 400, message: "what?" } }],
  ["is 415", { status: 415, body: "unsupported" }],
] as const) {
  test(`cache reads a list in pages when the streamed one ${what}, and shows nothing of that`, async () => {
    await using stage = setUp();
    stage.server.put(object("a"));
    stage.transport.on({ path, query: { sendInitialEvents: "true" } }, answer);
    const { lines } = follow(stage.cache.informer(Bucket).events(stage.stop.signal));
    stage.start();
    await stage.clock.settle();
    assert.deepEqual(lines, ["create a uid-1 initial"]);
    assert.equal(stage.transport.requests.length, 3);
    assert.deepEqual(stage.logged, []);
  });
}

test("cache tries again when a server has not come to the version that a streamed list needs", async () => {
  await using stage = setUp();
  stage.server.put(object("a"));
  const details = { causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }] };
  const message = "Timeout: Too large resource version: 9, current: 8";
  stage.server.script.failure = {
    status: 504,
    body: { kind: "Status", reason: "Timeout", code: 504, message, details },
  };
  const informer = stage.cache.informer(Bucket);
  stage.start();
  await stage.clock.settle();
  assert.equal(informer.state.problem?.reason, "Unreachable");
  stage.server.script.failure = undefined;
  await stage.clock.advance("2s");
  assert.deepEqual(informer.state, { synced: true, phase: "watching" });
});

test("cache reads a list in pages when a streamed one is cut three times in a row", async () => {
  await using stage = setUp();
  stage.server.put(object("a"));
  async function* cut(): AsyncGenerator<string> {
    yield streamedEvent("ADDED", { ...key("x"), uid: "x", resourceVersion: "1" });
    throw new TransportError("Cannot read the answer: the connection was lost", { phase: "body", sent: true });
  }
  stage.transport.on({ path, query: { sendInitialEvents: "true" } }, () => ({ body: cut() }));
  const { lines } = follow(stage.cache.informer(Bucket).events(stage.stop.signal));
  stage.start();
  await stage.clock.advance("20s");
  assert.deepEqual(lines, ["create a uid-1 initial"]);
  assert.equal(stage.transport.requests.filter(({ query }) => query.has("sendInitialEvents")).length, 3);
});

// B02
test("cache opens a silent watch again within the silence limit, stale meanwhile", async () => {
  await using stage = await synced();
  const { clock, server, informer, lines, cache } = stage;
  server.put(object("d"));
  await clock.settle();
  server.silence();
  await clock.advance("30s");
  server.put(object("e"));
  await clock.advance("44s");
  assert.equal(informer.state.phase, "watching");
  assert.equal(cache.problems.length, 0);
  server.script.failure = { silent: true };
  await clock.advance("2s");
  assert.equal(informer.state.phase, "stale");
  assert.equal(cache.problems[0]?.state.phase, "stale");
  server.script.failure = undefined;
  await clock.advance("60s");
  assert.equal(informer.state.phase, "watching");
  assert.deepEqual(lines, ["create d uid-4", "create e uid-5"]);
  for (const { query } of watchRequests(stage)) {
    const timeout = Number(query.get("timeoutSeconds"));
    assert.ok(timeout >= 300 && timeout <= 600);
  }
});

test("cache goes on where a silent watch was, without a list, when the server still has its version", async () => {
  await using stage = await synced();
  stage.server.silence();
  stage.server.put(object("d"));
  await stage.clock.advance("76s");
  assert.deepEqual(stage.lines, ["create d uid-4"]);
  assert.equal(stage.server.lists, 1);
  assert.equal(stage.server.openWatches, 1);
});

// B21
test("cache keeps a watch open for as long as something comes through it", async () => {
  await using stage = await synced();
  for (let i = 0; i < 24; i += 1) {
    await stage.clock.advance("5s");
    stage.server.put(object("a", i + 2));
  }
  await stage.clock.advance("60s");
  assert.equal(stage.lines.length, 24);
  assert.equal(stage.transport.requests.length, 1);
  for (let i = 0; i < 10; i += 1) {
    stage.server.bookmark();
    await stage.clock.advance("60s");
  }
  assert.equal(stage.transport.requests.length, 1);
  assert.deepEqual(stage.logged, []);
});

// B85
test("cache goes on watching a kind without objects, however often the server ends the watch", async () => {
  await using stage = setUp();
  const { lines } = follow(stage.cache.informer(Bucket).events(stage.stop.signal));
  stage.start();
  for (let i = 0; i < 20; i += 1) {
    await stage.clock.advance("65s");
    stage.server.bookmark();
    await stage.clock.advance("65s");
    stage.server.bookmark();
    await stage.clock.advance("65s");
    stage.server.end();
  }
  await stage.clock.settle();
  stage.server.put(object("a"));
  await stage.clock.advance("1s");
  assert.deepEqual(lines, ["create a uid-1"]);
  assert.equal(stage.server.lists, 1);
  assert.equal(stage.server.openWatches, 1);
});

for (const gone of ["event Expired", "event Gone", "http"] as const) {
  // B08
  test(`cache lists exactly once more when a watch answers 410, as ${gone}`, async () => {
    await using stage = await synced({ script: { gone } });
    await stage.clock.advance("20s");
    const before = stage.transport.requests.length;
    stage.server.end();
    stage.server.put(object("d"));
    stage.server.put(object("d", 2));
    stage.server.compact();
    await stage.clock.advance("20s");
    assert.equal(stage.server.lists, 2);
    assert.equal(stage.server.openWatches, 1);
    const after = stage.transport.requests.slice(before).map(({ query }) => query.get("resourceVersion"));
    assert.deepEqual(after, ["103", null]);
    assert.deepEqual(stage.lines, ["create d uid-4"]);
    assert.deepEqual(stage.logged, []);
  });
}

// B11
// Promise 8
test("cache tells of what it missed: deletes with the last state, a recreated object as a delete and a create", async () => {
  await using stage = await synced();
  const { server, clock, lines, events } = stage;
  await clock.advance("20s");
  server.script.failure = refused;
  server.cut();
  server.remove(key("b"));
  server.remove(key("a"));
  server.put(object("a"));
  server.put(object("c", 7));
  server.compact();
  await clock.advance("10s");
  server.script.failure = undefined;
  await clock.advance("30s");
  assert.deepEqual(lines, ["delete b uid-2 unknown", "update c uid-3", "delete a uid-1 unknown", "create a uid-4"]);
  const update = events[1] ?? assert.fail();
  assert.ok(update.type === "update");
  assert.deepEqual([update.oldObject.spec?.size, update.object.spec?.size], [1, 7]);
});

// B28
// Promise 8
test("cache tells of nothing when it reconnects and nothing has changed", async () => {
  await using stage = await synced();
  const { server, clock, lines } = stage;
  for (let i = 0; i < 5; i += 1) {
    server.end();
    await clock.advance("40s");
  }
  assert.equal(server.lists, 1);
  server.end();
  server.put({ ...object("elsewhere"), metadata: { name: "elsewhere", namespace: "z" } });
  server.remove({ name: "elsewhere", namespace: "z" });
  server.compact();
  await clock.advance("40s");
  assert.equal(server.lists, 2);
  assert.deepEqual(lines, []);
});

// B76
test("cache begins a list anew when its continue token expires, and shows no part of it", async () => {
  await using stage = setUp({ script: { streams: "refuses" } });
  for (let i = 0; i < 1_200; i += 1) stage.server.put(object(`o-${i}`));
  const informer = stage.cache.informer(Bucket);
  const sizes: number[] = [];
  let expires = 1;
  stage.server.script.onPage = (page) => {
    sizes.push(informer.size);
    if (page !== 3 || expires === 0) return;
    expires -= 1;
    stage.server.put(object("late"));
    stage.server.compact();
  };
  stage.start();
  await stage.clock.advance("5s");
  assert.equal(sizes.length, 6);
  assert.deepEqual(new Set(sizes), new Set([0]));
  assert.equal(informer.size, 1_201);
  assert.equal(new Set(informer.list().map((each) => formatKey(each.metadata))).size, 1_201);
  const last = stage.transport.requests.at(-1) ?? assert.fail();
  assert.equal(last.query.get("resourceVersion"), String(stage.server.version));
});

test("cache asks for everything at once when the continue token expires again and again", async () => {
  await using stage = setUp({ script: { streams: "refuses" } });
  for (let i = 0; i < 600; i += 1) stage.server.put(object(`o-${i}`));
  const informer = stage.cache.informer(Bucket);
  stage.server.script.onPage = (page) => {
    if (page !== 2) return;
    stage.server.put(object("late"));
    stage.server.compact();
  };
  stage.start();
  await stage.clock.settle();
  assert.equal(informer.size, 601);
  assert.deepEqual(
    stage.transport.requests.map(({ query }) => `${query.get("limit")} ${query.get("watch")}`),
    ["null true", "500 null", "500 null", "500 null", "500 null", "null null", "null true"],
  );
});

// B32
test("cache tries at most 10 times in 30 s while the server is down, and has one watch afterwards", async () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    await using stage = setUp({ random: seed === 1 ? () => 0 : seededRandom(seed) });
    stage.server.put(object("a"));
    stage.server.script.failure = refused;
    const informer = stage.cache.informer(Bucket);
    const first = stage.cache.start(stage.stop.signal);
    assert.equal(stage.cache.start(stage.stop.signal), first);
    await stage.clock.advance("30s");
    const tries = stage.transport.requests.length;
    assert.ok(tries >= 3 && tries <= 10, `seed ${seed}: ${tries} attempts`);
    stage.server.script.failure = undefined;
    stage.start();
    await stage.clock.advance("31s");
    assert.equal(stage.server.openWatches, 1, `seed ${seed}`);
    assert.equal(informer.size, 1);
    assert.deepEqual(informer.state, { synced: true, phase: "watching" });
    stage.stop.abort();
    await first;
    assert.equal(stage.transport.open, 0);
  }
});

// B45
test("cache survives a list that is refused after a watch has ended", async () => {
  await using stage = await synced({ script: { streams: "refuses" } });
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): void => {
    unhandled.push(error);
  };
  process.on("unhandledRejection", onUnhandled);
  try {
    let refusals = 0;
    stage.server.end();
    stage.server.put(object("d"));
    stage.server.compact();
    stage.transport.on({ path, query: { limit: "500" } }, refused, refused, refused, () => {
      refusals += 1;
      return { status: 500, body: { kind: "Status", reason: "InternalError", code: 500, message: "no" } };
    });
    await stage.clock.advance("5s");
    assert.equal(stage.informer.state.phase, "failing");
    assert.equal(stage.informer.state.problem?.reason, "Unreachable");
    await stage.clock.advance("20s");
    assert.ok(refusals > 0);
    assert.equal(stage.informer.state.problem?.reason, "Other");
    const relay = createScriptedKind<Bucket>(stage.transport, Bucket, { streams: "refuses" });
    for (const each of stage.server.objects) relay.put(each as never);
    await stage.clock.advance("31s");
    assert.deepEqual(stage.informer.state, { synced: true, phase: "watching" });
    assert.equal(stage.informer.size, 4);
    assert.deepEqual(unhandled, []);
  } finally {
    process.off("unhandledRejection", onUnhandled);
  }
});

// B39
test("cache says which CRD is missing, once in 30 s, and begins within 10 s of its appearance", async () => {
  await using stage = setUp();
  stage.server.put(object("a"));
  stage.server.script.failure = {
    status: 404,
    headers: { "content-type": "text/plain" },
    body: "404 page not found\n",
  };
  const informer = stage.cache.informer(Bucket);
  stage.start();
  await stage.clock.advance("60s");
  const [problem] = stage.cache.problems;
  assert.equal(problem?.resource, Bucket);
  assert.equal(problem?.state.synced, false);
  assert.equal(problem?.state.problem?.reason, "CrdMissing");
  const text =
    "Cannot list and watch buckets.example.farwatch.dev: the server does not have this kind; install the CustomResourceDefinition buckets.example.farwatch.dev, with version v1 served";
  assert.equal(problem?.state.problem?.message, text);
  assert.deepEqual(stage.logged, Array(2).fill(`Cache is not in step with the server ${text}`));
  stage.server.script.failure = undefined;
  await stage.clock.advance("10s");
  assert.deepEqual(informer.state, { synced: true, phase: "watching" });
  assert.equal(informer.size, 1);
  assert.deepEqual(stage.cache.problems, []);
  assert.equal(stage.logged.at(-1), "Cache is in step with the server again ");
});

// B39
test("cache says which RBAC rule to add, keeps what it has meanwhile, and recovers within 10 s", async () => {
  await using stage = await synced();
  const message =
    'buckets.example.farwatch.dev is forbidden: User "bot" cannot watch resource "buckets" in API group "example.farwatch.dev" at the cluster scope';
  stage.server.script.failure = { status: 403, body: { kind: "Status", reason: "Forbidden", code: 403, message } };
  stage.server.end();
  await stage.clock.advance("60s");
  assert.deepEqual(stage.informer.state.problem?.reason, "Forbidden");
  assert.equal(
    stage.informer.state.problem?.message,
    'Cannot list and watch buckets.example.farwatch.dev: forbidden for User "bot"; to allow it, add { apiGroups: ["example.farwatch.dev"], resources: ["buckets"], verbs: ["list", "watch"] } to a ClusterRole of this user',
  );
  assert.equal(stage.informer.state.synced, true);
  assert.equal(stage.informer.size, 3);
  stage.server.put(object("d"));
  stage.server.script.failure = undefined;
  await stage.clock.advance("10s");
  assert.deepEqual(stage.lines, ["create d uid-4"]);
  assert.equal(stage.server.lists, 1);
});

// B84
test("cache is not rolled back by a late event, nor does one bring a deleted object back", async () => {
  await using stage = setUp();
  const streams = [createLateServer(stage)];
  const { lines } = follow(stage.cache.informer(Bucket).events(stage.stop.signal));
  stage.start();
  await stage.clock.settle();
  const [late] = streams;
  late?.send("MODIFIED", "12");
  late?.send("MODIFIED", "11");
  await stage.clock.settle();
  assert.equal(stage.cache.informers[0]?.get(key("a"))?.metadata.resourceVersion, "12");
  late?.send("DELETED", "11");
  await stage.clock.settle();
  assert.equal(stage.cache.informers[0]?.get(key("a"))?.metadata.resourceVersion, "12");
  assert.deepEqual(lines, ["create a uid-1 initial", "update a uid-1"]);
});

function createLateServer(stage: Stage) {
  const queue: unknown[] = [];
  let wake = (): void => {};
  const event = (type: string, resourceVersion: string) => ({
    type,
    object: { apiVersion: Bucket.apiVersion, kind: "Bucket", metadata: { ...key("a"), uid: "uid-1", resourceVersion } },
  });
  async function* body() {
    yield `${JSON.stringify(event("ADDED", "9"))}\n`;
    yield `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"10","annotations":{"k8s.io/initial-events-end":"true"}}}}\n`;
    for (;;) {
      for (const each of queue.splice(0)) yield `${JSON.stringify(each)}\n`;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  stage.transport.on({ path }, () => ({ body: body() }));
  return {
    send(type: string, version: string): void {
      queue.push(event(type, version));
      wake();
    },
  };
}

// Promise 8
test("cache follows a server that was restored to older versions, by uid and content", async () => {
  await using stage = await synced();
  const { server, clock, lines, informer } = stage;
  await clock.advance("20s");
  const backup = server.snapshot();
  server.put(object("a", 2));
  server.put(object("d"));
  server.remove(key("b"));
  await clock.settle();
  lines.splice(0);
  server.script.failure = refused;
  server.restore(backup);
  await clock.advance("5s");
  server.script.failure = undefined;
  await clock.advance("60s");
  assert.deepEqual(lines, ["delete d uid-4 unknown", "update a uid-1", "create b uid-2"]);
  assert.deepEqual(
    informer
      .list()
      .map((each) => each.metadata.resourceVersion)
      .sort(),
    ["101", "102", "103"],
  );
  server.put(object("c", 5));
  await clock.settle();
  assert.equal(informer.get(key("c"))?.spec?.size, 5);
});

// Promise 8
test("cache notices a restored server by its silence when the connection came back at once", async () => {
  await using stage = await synced();
  await stage.clock.advance("20s");
  const backup = stage.server.snapshot();
  for (let i = 0; i < 5; i += 1) stage.server.put(object("a", i + 2));
  await stage.clock.settle();
  stage.server.restore(backup);
  stage.server.put(object("a", 99));
  await stage.clock.advance("80s");
  assert.equal(stage.informer.get(key("a"))?.spec?.size, 99);
  assert.equal(stage.informer.state.phase, "watching");
});

test("cache compares content when equal versions are of two epochs", async () => {
  await using stage = await synced();
  await stage.clock.advance("20s");
  stage.server.put(object("a", 2));
  stage.server.put(object("b", 2));
  await stage.clock.settle();
  stage.lines.splice(0);
  const [, , c] = stage.server.objects;
  stage.server.script.failure = refused;
  stage.server.restore({
    version: 104,
    objects: stage.server.objects.map((each) =>
      each === c ? each : { ...each, spec: { size: each.metadata.name === "a" ? 3 : 2 } },
    ),
  });
  await stage.clock.advance("5s");
  stage.server.script.failure = undefined;
  await stage.clock.advance("60s");
  assert.deepEqual(stage.lines, ["update a uid-1"]);
});

test("cache tells of a delete when an object leaves its selector", async () => {
  await using stage = setUp();
  stage.server.put(object("a", 1, { tier: "gold" }));
  stage.server.put(object("b"));
  const informer = stage.cache.informer(Bucket, { labels: { tier: "gold" } });
  const { lines } = follow(informer.events(stage.stop.signal));
  stage.start();
  await stage.clock.settle();
  stage.server.put(object("b", 1, { tier: "gold" }));
  stage.server.put(object("a", 1, { tier: "tin" }));
  await stage.clock.settle();
  assert.deepEqual(lines, ["create a uid-1 initial", "create b uid-2", "delete a uid-1"]);
  assert.equal(stage.transport.requests[0]?.query.get("labelSelector"), "tier=gold");
});

test("cache keeps metadata alone where no more was asked for", async () => {
  for (const streams of ["sends", "refuses"] as const) {
    await using stage = setUp({ script: { streams } });
    stage.server.put(object("a"));
    const informer = stage.cache.informer(Bucket, { metadataOnly: true });
    stage.start();
    await stage.clock.settle();
    const { metadata } = stage.server.objects[0] ?? assert.fail();
    assert.deepEqual(informer.list(), [{ apiVersion: Bucket.apiVersion, kind: "Bucket", metadata }]);
    const accept = stage.transport.requests.at(-1)?.headers?.accept;
    assert.equal(accept, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
    await assert.rejects(stage.cache.list(Bucket), (error) => isCodedError(error, "NotCached"));
    const { events } = follow(informer.events(stage.stop.signal));
    stage.server.remove(key("a"));
    await stage.clock.settle();
    const { object: last } = events.find(({ type }) => type === "delete") ?? assert.fail();
    assert.deepEqual([last.apiVersion, last.kind, "spec" in last], [Bucket.apiVersion, "Bucket", false]);
  }
});

// Promise 9
test("cache hands out nothing that is not frozen, managedFields left out", async () => {
  await using stage = setUp({ script: { streams: "refuses" } });
  const index = (each: Bucket): readonly string[] => {
    assert.ok(Object.isFrozen(each) && Object.isFrozen(each.spec));
    return [String(each.spec?.size)];
  };
  stage.server.put({
    ...object("a"),
    metadata: { ...object("a").metadata, managedFields: [{ manager: "x" }] },
  } as never);
  const informer = stage.cache.informer(Bucket, { indexes: { size: index } });
  const { events } = follow(informer.events(stage.stop.signal));
  stage.start();
  await stage.clock.settle();
  stage.server.put(object("a", 2));
  await stage.clock.settle();
  const [create, update] = events;
  assert.ok(create?.type === "create" && update?.type === "update");
  const handed = [
    create.object,
    update.object,
    update.oldObject,
    informer.get(key("a")),
    ...informer.list(),
    await stage.cache.get(Bucket, key("a")),
    ...(await stage.cache.list(Bucket, { index: ["size", "2"] })),
  ];
  assert.equal(handed.length, 7);
  for (const each of handed) {
    assert.ok(
      each !== undefined && Object.isFrozen(each) && Object.isFrozen(each.metadata) && Object.isFrozen(each.spec),
    );
    assert.equal("managedFields" in each.metadata, false);
  }
});

test("cache stores what a transform makes of an object, frozen to the bottom", async () => {
  const transform = ({ spec: _, ...rest }: Bucket): Bucket => Object.freeze({ ...rest, spec: { size: 0 } });
  await using stage = await synced({ informer: { transform } });
  const { server, clock, informer, events } = stage;
  const a = informer.get(key("a"));
  assert.equal(a?.spec?.size, 0);
  assert.ok(Object.isFrozen(a.spec));
  server.put(object("a", 5));
  await clock.settle();
  assert.equal(informer.get(key("a"))?.spec?.size, 0);
  server.remove(key("a"));
  await clock.settle();
  const { type, object: last } = events.at(-1) ?? assert.fail();
  assert.deepEqual([type, last.spec?.size], ["delete", 0]);
});

test("cache says so when a transform throws or makes another object, and keeps trying", async () => {
  for (const transform of [
    (): never => {
      throw new Error("no idea");
    },
    (each: Bucket): Bucket => ({ ...each, metadata: { ...each.metadata, name: "other" } }),
  ]) {
    await using stage = setUp();
    stage.server.put(object("a"));
    const informer = stage.cache.informer(Bucket, { transform });
    stage.start();
    await stage.clock.advance("5s");
    assert.equal(informer.state.phase, "failing");
    assert.match(informer.state.problem?.message ?? "", /^Cannot list and watch buckets.*(no idea|must stay)/);
  }
});

test("cache shares one informer among all who ask for the same, and stops it when nobody holds it", async () => {
  await using stage = setUp();
  stage.server.put(object("a"));
  const first = stage.cache.informer(Bucket);
  const ended = stage.cache.start(stage.stop.signal);
  await stage.clock.settle();
  const second = stage.cache.informer(Bucket, {});
  const third = stage.cache.informer(Bucket, { labels: { tier: "gold", a: "b" } });
  const fourth = stage.cache.informer(Bucket, { labels: { a: "b", tier: "gold" } });
  const { lines } = follow(second.events(stage.stop.signal));
  await stage.clock.settle();
  assert.equal(stage.cache.informers.length, 2);
  assert.equal(stage.server.openWatches, 2);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  third[Symbol.dispose]();
  await stage.clock.settle();
  assert.equal(stage.server.openWatches, 2);
  second[Symbol.dispose]();
  fourth[Symbol.dispose]();
  await stage.clock.settle();
  assert.equal(stage.server.openWatches, 0);
  assert.equal(stage.transport.open, 0);
  assert.equal(second.state.phase, "stopped");
  assert.deepEqual(lines, ["create a uid-1 initial", "end"]);
  assert.deepEqual(stage.cache.informers, []);
  stage.cache.informer(Bucket);
  await stage.clock.settle();
  assert.equal(stage.server.openWatches, 1);
  stage.stop.abort();
  await ended;
  assert.equal(stage.transport.open, 0);
  assert.equal(stage.clock.pendingTimers, 0);
});

test("cache makes a read wait until the kind is synced, or its signal aborts", async () => {
  await using stage = setUp();
  stage.server.put(object("a"));
  stage.cache.informer(Bucket);
  const impatient = new AbortController();
  const found = stage.cache.find(Bucket, key("a"));
  const listed = stage.cache.list(Bucket);
  const aborted = stage.cache.list(Bucket, { signal: impatient.signal });
  impatient.abort(new Error("enough"));
  await assert.rejects(aborted, /enough/);
  stage.start();
  assert.equal((await found)?.metadata.uid, "uid-1");
  assert.equal((await listed).length, 1);
});

test("cache rejects whoever waits for a kind when it stops before it was synced", async () => {
  await using stage = setUp();
  stage.server.script.failure = refused;
  const informer = stage.cache.informer(Bucket);
  const waits = [stage.cache.list(Bucket), informer.synced(new AbortController().signal)];
  const ended = stage.cache.start(stage.stop.signal);
  await stage.clock.settle();
  stage.stop.abort();
  await ended;
  for (const wait of waits) await assert.rejects(wait, (error) => isCodedError(error, "CacheNotSynced"));
});

test("cache refuses to read a kind that it does not hold, and names both ways out", async () => {
  await using stage = setUp();
  stage.cache.informer(Bucket, { labels: "tier" });
  const expected = (state: string, kind: string, name: string) => ({
    code: "NotCached",
    message: `Cannot read ${name} from the cache: ${state}; declare it with the controller's \`caches: [${kind}]\`, or read it from the server with \`{ live: true }\``,
  });
  await assert.rejects(
    stage.cache.get(ConfigMap, key("a")),
    expected("the kind is not declared", "ConfigMap", "configmaps"),
  );
  await assert.rejects(
    stage.cache.list(Bucket),
    expected(
      "of it only labels=tier is cached, and all namespaces was asked for",
      "Bucket",
      "buckets.example.farwatch.dev",
    ),
  );
  stage.server.put(object("a"));
  stage.transport.on(
    { path: "/apis/example.farwatch.dev/v1/namespaces/a/buckets/a" },
    { body: stage.server.objects[0] },
  );
  assert.equal((await stage.cache.find(Bucket, key("a"), { live: true }))?.metadata.uid, "uid-1");
});

test("cache reads through the way in which a kind was configured, whatever else is watched", async () => {
  const options: InformerOptions = { labels: { tier: "gold" } };
  await using stage = setUp({ kinds: [{ resource: Bucket, options }] });
  stage.server.put(object("a", 1, { tier: "gold" }));
  stage.server.put(object("b"));
  using all = stage.cache.informer(Bucket, {});
  using own = stage.cache.informer(Bucket);
  stage.start();
  await stage.clock.settle();
  assert.deepEqual([all.size, own.size, (await stage.cache.list(Bucket)).length], [2, 1, 1]);
  assert.throws(
    () =>
      setUp({
        kinds: [
          { resource: Bucket, options },
          { resource: Bucket, options: {} },
        ],
      }),
    {
      code: "DuplicateName",
    },
  );
});

test("cache lists by namespace, labels, fields and index", async () => {
  await using stage = setUp();
  stage.server.put(object("a", 1, { tier: "gold" }));
  stage.server.put(object("b", 2, { tier: "tin" }));
  stage.server.put({ ...object("c", 2), metadata: { namespace: "z", name: "c" } });
  const indexes = { size: ({ spec }: Bucket) => [String(spec?.size)] };
  stage.cache.informer(Bucket, { indexes });
  stage.start();
  await stage.clock.settle();
  const names = async (options: Parameters<typeof stage.cache.list>[1]): Promise<string> =>
    (await stage.cache.list(Bucket, options)).map(({ metadata }) => metadata.name).join();
  assert.equal(await names({ namespace: "a" }), "a,b");
  stage.server.put(object("d"));
  await stage.clock.settle();
  assert.equal(await names({ namespace: "a" }), "a,b,d");
  assert.equal(await names({ namespace: "none" }), "");
  assert.equal(await names({ labels: "tier in (tin, lead)" }), "b");
  assert.equal(await names({ labels: { tier: "gold" }, namespace: "z" }), "");
  assert.equal(await names({ fields: "metadata.name!=a,metadata.namespace=a" }), "b,d");
  assert.equal(await names({ index: ["size", "2"] }), "b,c");
  assert.equal(await names({ index: ["size", "2"], namespace: "z" }), "c");
  await assert.rejects(names({ fields: "spec.size=1" }), {
    code: "InvalidSelector",
    message:
      "Cannot list buckets.example.farwatch.dev from the cache by field spec.size: it knows metadata.name and metadata.namespace alone, use an index or { live: true }",
  });
  await assert.rejects(names({ index: ["colour", "red"] }), {
    code: "InvalidOption",
    message: 'Cannot list buckets.example.farwatch.dev by index "colour": there is none, declare it with `indexes`',
  });
  assert.throws(() => stage.cache.informer(Bucket, { indexes: { size: () => [] } }), { code: "DuplicateName" });
  await assert.rejects(stage.cache.get(Bucket, key("none")), {
    code: "NotFound",
    message: 'Cannot get buckets.example.farwatch.dev a/none: buckets.example.farwatch.dev "none" not found',
  });
});

test("cache counts lists, watches, changes and objects", async () => {
  await using stage = await synced();
  const { server, clock, metrics, cache } = stage;
  server.put(object("d"));
  server.remove(key("a"));
  await clock.advance("20s");
  server.end();
  await clock.settle();
  const { body } = await metrics.expose();
  const labels = 'resource="buckets.example.farwatch.dev",selector=""';
  for (const line of [
    `reflector_lists_total{${labels}} 1`,
    `reflector_watches_total{${labels}} 2`,
    `farwatch_informer_events_total{${labels},type="ADDED"} 1`,
    `farwatch_informer_events_total{${labels},type="DELETED"} 1`,
    `farwatch_informer_objects{${labels}} 3`,
    `farwatch_informer_synced{${labels}} 1`,
  ]) {
    assert.ok(body.split("\n").includes(line), `${line} in\n${body}`);
  }
  assert.equal(cache.informers.length, 1);
});

test("cache gives a version up that is refused again and again, and lists anew", async () => {
  await using stage = await synced();
  await stage.clock.advance("20s");
  stage.server.end();
  stage.server.put(object("d"));
  stage.transport.on(
    { path, query: { resourceVersion: "103" } },
    {
      body: `${JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 500, reason: "InternalError", message: "cannot decode" } })}\n`,
    },
  );
  await stage.clock.advance("30s");
  assert.deepEqual(stage.lines, ["create d uid-4"]);
  assert.equal(stage.server.lists, 2);
  assert.equal(stage.transport.requests.filter(({ query }) => query.get("resourceVersion") === "103").length, 3);
});

test("cache backs off from a server that ends every watch at once", async () => {
  await using stage = await synced({ random: seededRandom(7) });
  stage.transport.on({ path, query: { watch: "true" } }, { body: "" });
  stage.server.end();
  const before = stage.transport.requests.length;
  await stage.clock.advance("30s");
  const tries = stage.transport.requests.length - before;
  assert.ok(tries >= 3 && tries <= 11, `${tries} attempts`);
  assert.equal(stage.informer.state.phase, "failing");
  assert.match(stage.informer.state.problem?.message ?? "", /ends each watch shortly after it began/);
});
