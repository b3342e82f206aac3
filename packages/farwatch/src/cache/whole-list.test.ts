import assert from "node:assert/strict";
import { test } from "node:test";
import { TransportError } from "../transport/transport-error.ts";
import { formatKey } from "../wire/object.ts";

import { Bucket, follow, key, object, path, setUp, synced } from "./bucket-cache.fixture.ts";

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

test("cache says that a list never ends, comes to rest meanwhile, and goes on when it does end", async () => {
  await using stage = setUp({ script: { streams: "refuses" } });
  stage.server.put(object("a"));
  let asked = 0;
  let isEndless = true;
  stage.transport.on({ path, query: { limit: "500" } }, () => {
    asked += 1;
    const metadata = {
      resourceVersion: String(stage.server.version),
      ...(isEndless ? { continue: String(asked) } : {}),
    };
    return { body: { metadata, items: [] } };
  });
  const informer = stage.cache.informer(Bucket);
  stage.start();
  await stage.clock.settle();
  assert.match(informer.state.problem?.message ?? "", /the list would never end/);
  assert.equal(informer.state.synced, false);
  isEndless = false;
  await stage.clock.advance("2s");
  assert.deepEqual(informer.state, { synced: true, phase: "watching" });
});
