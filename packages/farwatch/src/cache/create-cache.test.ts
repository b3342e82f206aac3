import assert from "node:assert/strict";
import { test } from "node:test";
import { isCodedError } from "../error/coded-error.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import { Bucket, follow, key, object, refused, setUp } from "./bucket-cache.fixture.ts";
import type { InformerOptions } from "./cache.ts";

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
