import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import {
  type RecordedRequest,
  type ServedKind,
  serveKind,
  sharedKubeApiserver,
  startRecordingProxy,
  startTcpRelay,
} from "@farwatch/testing";
import {
  type Clock,
  createClient,
  defineController,
  loadConfig,
  Namespace,
  ServiceAccount,
  systemClock,
} from "farwatch";
import { eventually } from "../eventually.ts";
import { type LampObject, lampKind } from "./lamp.ts";
import { createProjectedVolume, type ProjectedVolume } from "./projected-volume.ts";
import { grant } from "./rbac.ts";
import { complaints, type RunningManager, runManager } from "./running-manager.ts";

const namespace = "credential-renewal";
const account = { namespace, name: "operator" };
const Lamp = lampKind("credential-renewal");
const server = sharedKubeApiserver();
const admin = createClient({ config: loadConfig({ kubeconfig: server.kubeconfigFile }) });
let served: ServedKind;
let granted: AsyncDisposable;

before(async () => {
  served = await serveKind(admin, Lamp);
  await admin.create(Namespace, { metadata: { name: namespace } });
  await admin.create(ServiceAccount, { metadata: account });
  const everything = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
  granted = await grant(admin, namespace, { kind: "ServiceAccount", ...account }, everything);
});
after(async () => {
  await granted[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  await admin[Symbol.asyncDispose]();
});

/** A new token of the service account, as kubelet asks for one. */
async function requestToken(): Promise<string> {
  const { status } = await admin.rest.json<{ readonly status: { readonly token: string } }>({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account.name}/token`,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3_600 } },
  });
  return status.token;
}

/** An operator that finds its credentials in the volume, and writes the level of one Lamp into its status. */
function runOperator(options: {
  readonly name: string;
  readonly url: string;
  readonly volume: ProjectedVolume;
  readonly clock?: Clock;
  readonly onRead?: (path: string) => void;
}): RunningManager & { readonly runs: readonly (number | undefined)[] } {
  const { name, url, volume, clock, onRead } = options;
  const runs: (number | undefined)[] = [];
  const client = createClient({
    config: loadConfig({
      kubeconfig: {
        clusters: [{ name: "a", cluster: { server: url, "certificate-authority": volume.path("ca.crt") } }],
        users: [{ name: "a", user: { tokenFile: volume.path("token") } }],
        contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
        "current-context": "a",
      },
      clock,
      readFile: (path) => {
        onRead?.(path);
        return readFile(path, "utf8");
      },
    }),
  });
  const controller = defineController({
    name: "lamp",
    for: Lamp,
    predicates: [({ object }) => object.metadata.name === name],
    async reconcile(request, ctx) {
      const lamp = await ctx.client.find(Lamp, request);
      if (lamp === undefined) return;
      runs.push(lamp.spec.level);
      await ctx.client.patchStatus(lamp, { count: lamp.spec.level });
    },
  });
  const running = runManager({ client, cache: [{ resource: Lamp, options: { namespace } }] }, controller);
  return {
    ...running,
    runs,
    async [Symbol.asyncDispose](): Promise<void> {
      await running[Symbol.asyncDispose]();
      await client[Symbol.asyncDispose]();
    },
  };
}

/** Sets the level and resolves when the operator has written it into the status. */
async function reconcileTo(lamp: LampObject, level: number): Promise<void> {
  await admin.patch(lamp, { spec: { level } }, { unconditional: true });
  await eventually(`level ${level} in the status`, async () => {
    const { status } = await admin.get(Lamp, lamp.metadata);
    return status?.count === level;
  });
}

function createLamp(name: string): Promise<LampObject> {
  return admin.create(Lamp, { metadata: { namespace, name }, spec: { level: 1 } });
}

function isLampWatch({ path, query }: RecordedRequest): boolean {
  return path.endsWith("/lamps") && query.get("watch") === "true";
}

/** How the status writes of a Lamp were answered; waits until the last one was. */
async function statusesOf(requests: readonly RecordedRequest[], name: string): Promise<readonly unknown[]> {
  const writes = requests.filter(({ path }) => path.endsWith(`/lamps/${name}/status`));
  await eventually("every answer", () => writes.every(({ status }) => status !== undefined));
  return writes.map(({ status }) => status);
}

// Promise 11
// B35
test("client whose token is refused reads the file again once and goes on, while its watch stays open", async () => {
  await using volume = await createProjectedVolume();
  await using proxy = await startRecordingProxy({ target: server });
  const [oldToken, newToken] = [await requestToken(), await requestToken()];
  await volume.write({ token: oldToken, "ca.crt": proxy.ca });
  let reads = 0;
  const onRead = (path: string): void => {
    if (path === volume.path("token")) reads += 1;
  };
  await using operator = runOperator({ name: "token", url: proxy.url, volume, onRead });
  const lamp = await createLamp("token");
  await reconcileTo(lamp, 2);
  const readsBefore = reads;

  await volume.write({ token: newToken, "ca.crt": proxy.ca });
  proxy.intercept({ bearer: oldToken }, { type: "answer", status: 401 });
  const requestsBefore = proxy.requests.length;
  await reconcileTo(lamp, 3);
  await reconcileTo(lamp, 4);

  assert.deepEqual(await statusesOf(proxy.requests.slice(requestsBefore), "token"), [401, 200, 200]);
  assert.equal(reads - readsBefore, 1, "one 401, one reload");
  assert.deepEqual(operator.runs.slice(-2), [3, 4], "no reconcile saw an error and ran again");
  assert.deepEqual(complaints(operator.lines), []);
  assert.deepEqual(
    proxy.requests.filter(isLampWatch).map(({ outcome }) => outcome),
    ["open"],
  );
});

// Promise 11
// B35
test("client takes over a replaced token and ca.crt within a minute, without a refusal", async () => {
  await using volume = await createProjectedVolume();
  await using before = await startRecordingProxy({ target: server });
  await using renewed = await startRecordingProxy({ target: server });
  let current = before;
  await using address = await startTcpRelay({
    // Read at each connection: the server behind one address gets a certificate of another authority.
    get targetPort() {
      return Number(new URL(current.url).port);
    },
  });
  let passedMs = 0;
  const clock: Clock = { ...systemClock, elapsed: () => systemClock.elapsed() + passedMs };
  const [oldToken, newToken] = [await requestToken(), await requestToken()];
  await volume.write({ token: oldToken, "ca.crt": before.ca });
  await using operator = runOperator({ name: "authority", url: `https://127.0.0.1:${address.port}`, volume, clock });
  const lamp = await createLamp("authority");
  await reconcileTo(lamp, 2);

  await volume.write({ token: newToken, "ca.crt": renewed.ca });
  passedMs = 60_000;
  current = renewed;
  renewed.intercept({ bearer: oldToken }, { type: "answer", status: 401 });
  address.cut();
  await reconcileTo(lamp, 3);

  assert.deepEqual(await statusesOf(renewed.requests, "authority"), [200]);
  assert.deepEqual(
    renewed.requests.filter(({ status }) => status === 401),
    [],
  );
  assert.equal(renewed.requests.filter(isLampWatch).length, 1);
  assert.deepEqual(operator.runs.slice(-2), [2, 3]);
});
