import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type KubeApiserver,
  type RecordedRequest,
  type RecordingProxy,
  serveKind,
  startKubeApiserver,
  startRecordingProxy,
} from "@farwatch/testing";
import {
  type ConnectedClient,
  createClient,
  defineController,
  type KubeObject,
  kindSource,
  loadConfig,
  type ObjectEvent,
  staticConfig,
  systemClock,
  watch,
} from "farwatch";
import { type LampObject, lampKind } from "../e2e/lamp.ts";
import { type RunningManager, runManager } from "../e2e/running-manager.ts";
import { eventually } from "../eventually.ts";

const Lamp = lampKind("server-restart");
const namespace = "default";
const stack = new AsyncDisposableStack();
let kube: KubeApiserver;
/** Straight to the server. */
let admin: ConnectedClient;
/** Between the operator and the server. */
let proxy: RecordingProxy;
let operator: RunningManager;
/** What the operator's source has said, in order. */
const events: ObjectEvent<LampObject>[] = [];

/** 400 that change all the time, and 100 that do not. */
const busy = Array.from({ length: 400 }, (_, index) => `busy-${index}`);
const still = Array.from({ length: 100 }, (_, index) => `still-${index}`);

before(async () => {
  kube = stack.use(await startKubeApiserver());
  admin = stack.use(createClient({ config: loadConfig({ kubeconfig: kube.kubeconfigFile }) }));
  await serveKind(admin, Lamp);
  proxy = stack.use(await startRecordingProxy({ target: kube }));
  await eachOf([...busy, ...still], (name) => create(name));
  const client = stack.use(
    createClient({ config: staticConfig({ server: proxy.url, ca: proxy.ca, token: kube.token }) }),
  );
  operator = stack.use(
    runManager(
      { client },
      defineController({
        name: "lamp",
        for: Lamp,
        concurrency: 16,
        watches: [
          watch(kindSource(Lamp), (event) => {
            if (event.type !== "generic") events.push(event);
            return [];
          }),
        ],
        async reconcile(request, { client: fenced, signal }) {
          const lamp = await fenced.find(Lamp, request, { signal });
          if (lamp !== undefined) await fenced.patchStatus(lamp, { count: lamp.spec.level }, { signal });
        },
      }),
    ),
  );
  await converged();
});
after(() => stack.disposeAsync());

function create(name: string): Promise<LampObject> {
  return admin.create(Lamp, { metadata: { namespace, name }, spec: { level: 1 } });
}

async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const take = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: 16 }, take));
}

function versionsOf(objects: readonly KubeObject[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    objects
      .map(({ metadata: { name, uid, resourceVersion } }) => [name, `${uid} at ${resourceVersion}`] as const)
      .sort(),
  );
}

/** Waits until every object's newest state has been reconciled, and the cache is the server's. */
async function converged(): Promise<void> {
  await eventually(
    "the last state of each object in its status, and the cache in step",
    async () => {
      const onServer = await admin.list(Lamp, { namespace });
      const behind = onServer.filter(({ spec, status }) => status?.count !== spec.level);
      assert.deepEqual(versionsOf(behind), {});
      assert.deepEqual(versionsOf(await operator.manager.cache.list(Lamp)), versionsOf(onServer));
      return true;
    },
    { within: "90s" },
  );
}

function isLampWatch({ path, query }: RecordedRequest): boolean {
  return path.endsWith("/lamps") && query.get("watch") === "true";
}

function isList({ query }: RecordedRequest): boolean {
  return query.get("sendInitialEvents") === "true" || query.get("watch") === null;
}

function assertOneWatch(): void {
  const open = proxy.requests.filter((request) => isLampWatch(request) && request.outcome === "open");
  assert.equal(open.length, 1, "one watch for the kind");
}

/** What was said of these, in order; the operator's own status writes are left out. */
function about(names: readonly string[], said: readonly ObjectEvent<LampObject>[]): Readonly<Record<string, string>> {
  const types = new Map<string, string[]>();
  for (const event of said) {
    const { name, generation } = event.object.metadata;
    if (!names.includes(name)) continue;
    if (event.type === "update" && event.oldObject.metadata.generation === generation) continue;
    types.set(name, [...(types.get(name) ?? []), event.type]);
  }
  return Object.fromEntries([...types].map(([name, list]) => [name, list.join(", ")]));
}

function each(names: readonly string[], types: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, types]));
}

function assertNoEventWithoutChange(): void {
  const states = new Map<string, string>();
  for (const { type, object } of events) {
    const { uid = "", name, resourceVersion = "" } = object.metadata;
    if (type !== "delete") assert.notEqual(states.get(uid), resourceVersion, `${name} has not changed`);
    states.set(uid, resourceVersion);
  }
}

// Promise 8
test("cache converges and every last state is reconciled when kube-apiserver is killed under load", async () => {
  const stop = new AbortController();
  let written = 0;
  const write = async (name: string, level: number): Promise<void> => {
    try {
      await admin.patch(lampNamed(name), { spec: { level } }, { unconditional: true, signal: stop.signal });
      written += 1;
    } catch {
      // There is no server for a while: what it has in the end is what counts.
      if (!stop.signal.aborted) await systemClock.sleep("50ms");
    }
  };
  const load = (async () => {
    for (let level = 2; !stop.signal.aborted; level += 1) await eachOf(busy, (name) => write(name, level));
  })();
  const before = events.length;
  await eventually("load", () => written > 500);
  kube.kill("SIGKILL");
  await kube.restart();
  const writtenBefore = written;
  await eventually("load on the new server", () => written > writtenBefore + 500, { within: "60s" });
  stop.abort();
  await load;

  await converged();
  assertOneWatch();
  assertNoEventWithoutChange();
  assert.deepEqual(about(still, events.slice(before)), {});
});

// Promise 8
test("cache lists anew and tells each change once when the version it knows was compacted during an outage", async () => {
  const before = events.length;
  const [changed, deleted, recreated] = [busy.slice(0, 50), busy.slice(50, 55), busy.slice(55, 60)];
  const created = ["new-0", "new-1"];
  // The watch hears nothing of the outage until it is over, and then asks for what came after the version it knows.
  proxy.silence();
  await eachOf(changed, (name) =>
    admin.patch(lampNamed(name), { spec: { level: 1_000_000 } }, { unconditional: true }),
  );
  await eachOf([...deleted, ...recreated], (name) => admin.delete(Lamp, { namespace, name }));
  await eachOf([...recreated, ...created], create);
  kube.kill("SIGKILL");
  await kube.compactEtcd();
  await kube.restart();
  const requestsBefore = proxy.requests.length;
  await proxy.resume();

  await converged();
  assertOneWatch();
  assertNoEventWithoutChange();
  const asked = proxy.requests.slice(requestsBefore).filter(({ path }) => path.endsWith("/lamps"));
  assert.match(asked[0]?.query.get("resourceVersion") ?? "", /^\d+$/, "it tried to go on from what it knew");
  assert.ok(asked.slice(1).some(isList), "and listed anew, in a stream or in pages");
  const said = events.slice(before);
  assert.deepEqual(about(changed, said), each(changed, "update"));
  assert.deepEqual(about(deleted, said), each(deleted, "delete"));
  assert.deepEqual(about(recreated, said), each(recreated, "delete, create"));
  assert.deepEqual(about(created, said), each(created, "create"));
  const untouched = [...busy.slice(60), ...still];
  assert.equal(said.filter(({ object }) => untouched.includes(object.metadata.name)).length, 0);
});

function lampNamed(name: string): LampObject {
  return { apiVersion: Lamp.apiVersion, kind: Lamp.kind, metadata: { namespace, name } } as LampObject;
}
