import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type KubeApiserver, serveKind, startKubeApiserver } from "@farwatch/testing";
import {
  ConfigMap,
  type ConnectedClient,
  type ControllerOptions,
  controllerReference,
  createClient,
  Deployment,
  defineController,
  type KubeObject,
  keyOf,
  loadConfig,
  Namespace,
  withFinalizer,
} from "farwatch";
import { eventually } from "../eventually.ts";
import { type LampObject, lampKind } from "./lamp.ts";
import { type RunningManager, runManager } from "./running-manager.ts";

const Lamp = lampKind("lifecycle");
const stack = new AsyncDisposableStack();
let kube: KubeApiserver;
let client: ConnectedClient;

before(async () => {
  kube = stack.use(await startKubeApiserver({ controllerManager: true }));
  client = stack.use(createClient({ config: loadConfig({ kubeconfig: kube.kubeconfigFile }) }));
  await serveKind(client, Lamp);
});
after(() => stack.disposeAsync());

/** A namespace of the test's own, with an operator that sees this one alone. */
async function operate(
  namespace: string,
  options: Omit<ControllerOptions<LampObject>, "for" | "name">,
): Promise<RunningManager> {
  await client.create(Namespace, { metadata: { name: namespace } });
  return runManager(
    { client, cache: [{ resource: Lamp, options: { namespace } }] },
    defineController({ name: "lamp", for: Lamp, backoff: { initial: "50ms", max: "200ms" }, ...options }),
  );
}

function createLamp(namespace: string, finalizers?: readonly string[]): Promise<LampObject> {
  const metadata = { namespace, name: "lamp", ...(finalizers !== undefined && { finalizers }) };
  return client.create(Lamp, { metadata, spec: { level: 1 } });
}

/** Resolves once the object has what the look asks for. */
function seen(lamp: LampObject, what: string, look: (lamp: LampObject) => boolean): Promise<LampObject> {
  return eventually(what, async () => {
    const now = await client.get(Lamp, lamp.metadata);
    return look(now) && now;
  });
}

async function gone(lamp: LampObject): Promise<void> {
  await eventually("the end of the object", async () => (await client.find(Lamp, lamp.metadata)) === undefined);
}

// B81
test("object that is only watched has no finalizer: it goes at once, and so does its namespace, without the operator", async () => {
  const namespace = "lifecycle-plain";
  const operator = await operate(namespace, {
    async reconcile(request, ctx) {
      const lamp = await ctx.client.find(Lamp, request);
      if (lamp !== undefined) await ctx.client.patchStatus(lamp, { count: 1 });
    },
  });
  const lamp = await createLamp(namespace);
  const other = await client.create(Lamp, { metadata: { namespace, name: "other" }, spec: {} });
  const reconciled = await seen(lamp, "its status", ({ status }) => status?.count === 1);
  await seen(other, "its status", ({ status }) => status?.count === 1);
  await operator[Symbol.asyncDispose]();

  assert.equal(reconciled.metadata.finalizers, undefined);
  assert.equal(await client.delete(Lamp, keyOf(lamp)), true);
  assert.equal(await client.find(Lamp, keyOf(lamp)), undefined);
  await client.delete(Namespace, { name: namespace });
  await eventually(
    "the end of the namespace",
    async () => (await client.find(Namespace, { name: namespace })) === undefined,
  );
});

test("finalizer is added before the first reconcile, and removed when finalize has nothing left to do", async () => {
  const namespace = "lifecycle-finalizer";
  const calls: string[] = [];
  await using operator = await operate(namespace, {
    reconcile: withFinalizer(
      Lamp,
      {
        name: "e2e.farwatch.dev/cleanup",
        async finalize({ metadata }) {
          calls.push(`finalize ${metadata.deletionTimestamp === undefined ? "alive" : "deleted"}`);
          return calls.filter((call) => call.startsWith("finalize")).length < 3 ? { requeueAfter: "20ms" } : undefined;
        },
      },
      async (request, ctx) => {
        const lamp = await ctx.client.get(Lamp, request);
        calls.push(`reconcile ${lamp.metadata.finalizers}`);
      },
    ),
  });
  const lamp = await createLamp(namespace);
  const held = await seen(lamp, "the finalizer", ({ metadata }) => metadata.finalizers !== undefined);
  assert.deepEqual(held.metadata.finalizers, ["e2e.farwatch.dev/cleanup"]);
  await eventually("a reconcile", () => calls.length > 0);
  await client.delete(Lamp, keyOf(lamp));
  await gone(lamp);
  assert.deepEqual(calls.splice(-3), ["finalize deleted", "finalize deleted", "finalize deleted"]);
  assert.deepEqual([...new Set(calls)], ["reconcile e2e.farwatch.dev/cleanup"]);
  assert.deepEqual(
    operator.lines.filter(({ level }) => level === "error"),
    [],
  );
});

test("finalizer stays while finalize fails, and the object goes once it does not", async () => {
  const namespace = "lifecycle-failing";
  let attempts = 0;
  let broken = true;
  await using _ = await operate(namespace, {
    reconcile: withFinalizer(
      Lamp,
      {
        name: "e2e.farwatch.dev/cleanup",
        async finalize() {
          attempts += 1;
          if (broken) throw new Error("the bucket does not answer");
        },
      },
      async () => {},
    ),
  });
  const lamp = await createLamp(namespace);
  await seen(lamp, "the finalizer", ({ metadata }) => metadata.finalizers !== undefined);
  await client.delete(Lamp, keyOf(lamp));
  await eventually("three attempts", () => attempts >= 3);
  const held = await client.get(Lamp, keyOf(lamp));
  assert.ok(held.metadata.deletionTimestamp !== undefined);
  assert.deepEqual(held.metadata.finalizers, ["e2e.farwatch.dev/cleanup"]);
  broken = false;
  await gone(lamp);
});

// B81
test("retired finalizer is removed from an object that is deleted, and left on one that is not", async () => {
  const namespace = "lifecycle-retired";
  const retired = "old.farwatch.dev/cleanup";
  let reconciles = 0;
  await using _ = await operate(namespace, {
    retiredFinalizers: [retired],
    async reconcile() {
      reconciles += 1;
    },
  });
  const lamp = await createLamp(namespace, [retired, "other.farwatch.dev/keep"]);
  await eventually("a reconcile", () => reconciles > 0);
  assert.equal((await client.get(Lamp, lamp.metadata)).metadata.finalizers?.length, 2);
  await client.delete(Lamp, keyOf(lamp));
  const left = await seen(lamp, "the end of the retired one", ({ metadata }) => metadata.finalizers?.length === 1);
  assert.deepEqual(left.metadata.finalizers, ["other.farwatch.dev/keep"], "another's finalizer is not ours to remove");
  await client.patch(left, [{ op: "remove", path: "/metadata/finalizers" }]);
  await gone(lamp);
});

test("owned object wakes its owner when its status changes, and is collected with it", async () => {
  const namespace = "lifecycle-owned";
  await client.create(Namespace, { metadata: { name: namespace } });
  const seenReplicas: (number | undefined)[] = [];
  const labels = { app: "owned" };
  await using _ = runManager(
    {
      client,
      cache: [ConfigMap, Deployment].map((resource) => ({ resource, options: { namespace, labels } })),
    },
    defineController({
      name: "owner",
      for: ConfigMap,
      owns: [Deployment],
      async reconcile(request, ctx) {
        const owner = await ctx.client.find(ConfigMap, request);
        if (owner === undefined) return;
        const owned = await ctx.client.find(Deployment, request);
        if (owned !== undefined) {
          seenReplicas.push(owned.status?.readyReplicas);
          return;
        }
        await ctx.client.create(Deployment, {
          metadata: { ...request, labels, ownerReferences: [controllerReference(owner)] },
          spec: {
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } },
          },
        });
      },
    }),
  );
  const key = { namespace, name: "owner" };
  await client.create(ConfigMap, { metadata: { ...key, labels } });
  const owned: KubeObject = await eventually("the owned object", () => client.find(Deployment, key));
  await eventually("a reconcile for its creation", () => seenReplicas.length > 0);
  const before = await client.get(Deployment, owned.metadata);
  await client.patchStatus(before, { replicas: 3, readyReplicas: 3 });
  await eventually("a reconcile that sees the status", () => seenReplicas.includes(3));

  await client.delete(ConfigMap, key);
  await eventually("the end of the owned object", async () => (await client.find(Deployment, key)) === undefined);
});
