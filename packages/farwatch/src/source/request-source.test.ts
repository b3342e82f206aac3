import assert from "node:assert/strict";
import { test } from "node:test";
import { defineController } from "../controller/define-controller.ts";
import { watch } from "../controller/watch.ts";
import { createScriptedManager } from "../doubles/scripted-manager.fixture.ts";
import { isCodedError } from "../error/coded-error.ts";
import { enqueueRequested } from "../handler/enqueue-requested.ts";
import { defineBuiltin } from "../resource/define-builtin.ts";
import { Lease } from "../resource/kind/lease.ts";
import type { Resource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import { requestedAtAnnotation } from "../wire/runtime-annotation.ts";
import { isEmpty, opened, setUp, take } from "./pushed-source.fixture.ts";
import { requestSource } from "./request-source.ts";

const Bucket: Resource<KubeObject> = defineBuiltin({ group: "example.farwatch.dev", version: "v1", kind: "Bucket" });

// Promise 1
test("request source takes requests before it is open, and one that waits is not taken twice", async () => {
  const env = setUp();
  const source = requestSource();
  const subscription = env.hub.subscribe(source, { name: "w" });
  for (let times = 0; times < 5_000; times += 1) {
    await source.enqueue({ namespace: "ns", name: `b${times % 3}` });
    await source.enqueueAll({ labels: { tier: "gold" } });
    await source.enqueueAll({ labels: "tier=gold" });
    await source.enqueueAll();
  }
  const leading = opened(env);
  assert.deepEqual(await take(subscription, 5), [
    { type: "object", key: { namespace: "ns", name: "b0" } },
    { type: "all", selector: { labels: "tier=gold" } },
    { type: "all", selector: {} },
    { type: "object", key: { namespace: "ns", name: "b1" } },
    { type: "object", key: { namespace: "ns", name: "b2" } },
  ]);
  assert.ok(await isEmpty(subscription));
  await source.enqueue({ name: "b0" });
  assert.deepEqual(await take(subscription, 1), [{ type: "object", key: { name: "b0" } }], "one of the cluster");
  await leading.close();
});

// Promise 1
test("request source keeps what it was asked while another replica leads, and what was given back", async () => {
  const env = setUp();
  const source = requestSource();
  const subscription = env.hub.subscribe(source, { name: "w" });
  const first = opened(env);
  await source.enqueue({ name: "a" });
  const received = await subscription.receive();
  await first.close();
  received?.hold.giveBack();
  await source.enqueue({ name: "b" });
  const second = opened(env);
  assert.deepEqual(
    (await take(subscription, 2)).map((asked) => (asked.type === "object" ? asked.key.name : "all")),
    ["a", "b"],
  );
  await second.close();
});

test("request source that nobody reads refuses requests for more objects than it has room for", async () => {
  const source = requestSource({ name: "probe-now", capacity: 2 });
  await source.enqueue({ name: "a" });
  await source.enqueue({ name: "b" });
  await source.enqueue({ name: "a" });
  await assert.rejects(source.enqueue({ name: "c" }), (error) => {
    return isCodedError(error, "SourceNotOpen") && error.message.includes("probe-now");
  });
  source.close();
  await assert.rejects(source.enqueue({ name: "a" }), (error) => isCodedError(error, "ChannelClosed"));
});

test("request source refuses a request without a name and a selector that is none, where it is asked", async () => {
  const source = requestSource();
  for (const key of [{ name: "" }, "a", undefined, null] as const) {
    await assert.rejects(source.enqueue(key as { readonly name: string }), {
      code: "InvalidOption",
      message: "Cannot enqueue an object: it has no name, give { namespace, name }",
    });
  }
  await assert.rejects(source.enqueue({ namespace: 5 as unknown as string, name: "a" }), { code: "InvalidOption" });
  await assert.rejects(source.enqueueAll({ labels: "a in" }), (error) => isCodedError(error, "InvalidSelector"));
  await assert.rejects(source.enqueueAll({ labels: { "a b": "c" } }), (error) => {
    return isCodedError(error, "InvalidSelector");
  });
  await assert.rejects(source.enqueue({ name: "a" }, { signal: AbortSignal.abort("no") }), (reason) => reason === "no");
});

test("request source refuses another way to deliver", () => {
  assert.throws(() => requestSource({ deliver: "x" as "queue" }), {
    code: "InvalidOption",
    message: 'Cannot make source requests: deliver is "x", give "queue" or "annotate"',
  });
});

test("enqueueRequested reconciles what is asked for from outside and from another controller, all or some", async () => {
  const env = createScriptedManager();
  const asked = requestSource();
  const runs: string[] = [];
  for (const [name, tier] of [
    ["a", "gold"],
    ["b", "silver"],
    ["c", "gold"],
  ] as const) {
    env.cluster.put(Bucket, { metadata: { namespace: "ns", name, labels: { tier } } });
  }
  env.manager.add(
    defineController({
      for: Bucket,
      watches: [watch(asked, enqueueRequested(Bucket))],
      async reconcile({ namespace, name }) {
        runs.push(`${namespace}/${name}`);
      },
    }),
  );
  await asked.enqueue({ namespace: "ns", name: "gone" });
  await env.start();
  assert.deepEqual(runs.splice(0).toSorted(), ["ns/a", "ns/b", "ns/c", "ns/gone"]);
  await asked.enqueueAll({ labels: { tier: "gold" }, namespace: "ns" });
  await env.clock.settle();
  assert.deepEqual(runs.splice(0).toSorted(), ["ns/a", "ns/c"]);
  await asked.enqueueAll();
  await env.clock.settle();
  assert.equal(runs.splice(0).length, 3);
  await env.stopped();
});

test("request source that annotates reaches the leader from a replica that does not lead, and is worked on where one leads", async () => {
  const leaderElection = { leaseName: "app", namespace: "ops" };
  for (const leads of [false, true]) {
    const env = createScriptedManager(leads ? { leaderElection: false } : { leaderElection });
    if (!leads) {
      env.cluster.put(Lease, {
        metadata: { namespace: "ops", name: "app" },
        spec: { holderIdentity: "other", leaseDurationSeconds: 3_600, renewTime: "2030-01-01T00:00:00.000000Z" },
      });
    }
    for (const name of ["a", "b"]) env.cluster.put(Bucket, { metadata: { namespace: "ns", name } });
    const asked = requestSource({ deliver: "annotate" });
    const runs: string[] = [];
    env.manager.add(
      defineController({
        for: Bucket,
        watches: [watch(asked, enqueueRequested(Bucket))],
        async reconcile({ name }) {
          runs.push(name);
        },
      }),
    );
    await env.start();
    runs.length = 0;
    await asked.enqueue({ namespace: "ns", name: "a" });
    await env.clock.advance("2s");
    const annotationOf = (name: string) =>
      env.cluster.get(Bucket, { namespace: "ns", name })?.metadata.annotations?.[requestedAtAnnotation];
    assert.match(annotationOf("a") ?? "none", /^2030-01-01T/);
    assert.equal(annotationOf("b"), undefined);
    assert.deepEqual(runs, leads ? ["a"] : []);
    await env.stopped();
  }
});
