import assert from "node:assert/strict";
import { test } from "node:test";
import { isCodedError } from "../error/coded-error.ts";

import { Bucket, follow, key, object, path, refused, type Stage, setUp, synced } from "./bucket-cache.fixture.ts";

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
