import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../clock/random.ts";
import { Bucket, follow, key, object, path, refused, setUp, synced, watchRequests } from "./bucket-cache.fixture.ts";
import { createScriptedKind } from "./scripted-kind.fixture.ts";

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
