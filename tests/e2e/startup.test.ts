import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type RecordingProxy, serveKind, sharedKubeApiserver, startRecordingProxy } from "@farwatch/testing";
import { createClient, defineController, isCodedError, loadConfig, staticConfig, systemClock } from "farwatch";
import { eventually } from "../eventually.ts";
import { type LampObject, lampKind } from "./lamp.ts";
import { grant } from "./rbac.ts";
import { type RunningManager, runManager } from "./running-manager.ts";

const server = sharedKubeApiserver();
const admin = createClient({ config: loadConfig({ kubeconfig: server.kubeconfigFile }) });
after(() => admin[Symbol.asyncDispose]());

type Lamps = ReturnType<typeof lampKind>;

/** An operator for these Lamps, as the user of the token. */
function runOperator(Lamp: Lamps, proxy: RecordingProxy, token: string): RunningManager {
  const client = createClient({ config: staticConfig({ server: proxy.url, ca: proxy.ca, token }) });
  const controller = defineController({
    name: "lamp",
    for: Lamp,
    async reconcile(request, ctx) {
      const lamp = await ctx.client.find(Lamp, request);
      if (lamp !== undefined) await ctx.client.patchStatus(lamp, { count: lamp.spec.level });
    },
  });
  const running = runManager({ client }, controller);
  return {
    ...running,
    async [Symbol.asyncDispose](): Promise<void> {
      await running[Symbol.asyncDispose]();
      await client[Symbol.asyncDispose]();
    },
  };
}

async function probe(
  { manager }: RunningManager,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const { port } = await eventually("the health server", () => manager.address);
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
}

/** The lines of readyz that say what is wrong; empty when it answers 200. */
async function problems(running: RunningManager): Promise<readonly string[]> {
  const { status, text } = await probe(running, "/readyz");
  const lines = text.split("\n").filter((line) => line.startsWith("[-]"));
  assert.equal(status, lines.length === 0 ? 200 : 503);
  return lines;
}

/** Resolves when readyz is 503 for exactly this reason; livez must be well meanwhile. */
async function unready(running: RunningManager, reason: string): Promise<void> {
  await eventually("readyz with its reason", async () => {
    assert.deepEqual(await problems(running), [reason]);
    return true;
  });
  assert.deepEqual(await probe(running, "/livez"), { status: 200, text: "ok" });
}

async function ready(running: RunningManager): Promise<void> {
  await eventually("readyz 200", async () => (await problems(running)).length === 0);
}

function tries(proxy: RecordingProxy, Lamp: Lamps): number {
  return proxy.requests.filter(({ path }) => path === `/apis/${Lamp.apiVersion}/lamps`).length;
}

/** It goes on trying, and says so in one line: the next may come 30 s after the first. */
async function assertOneLine(running: RunningManager, proxy: RecordingProxy, Lamp: Lamps): Promise<void> {
  await eventually("three tries", () => tries(proxy, Lamp) >= 3);
  const said = running.lines.filter(({ level }) => level === "warn" || level === "error");
  const [first] = said;
  assert.ok(first !== undefined && systemClock.elapsed() - first.at < 30_000);
  assert.deepEqual(
    said.map(({ msg }) => msg),
    ["Cache is not in step with the server"],
  );
}

/** Creates a Lamp and asserts that it is reconciled within 10 s of the time given. */
async function assertReconciled(Lamp: Lamps, name: string, sinceMs: number): Promise<void> {
  const lamp: LampObject = await admin.create(Lamp, { metadata: { namespace: "default", name }, spec: { level: 1 } });
  await eventually("a status", async () => (await admin.get(Lamp, lamp.metadata)).status?.count === 1);
  const tookMs = systemClock.elapsed() - sinceMs;
  assert.ok(tookMs <= 10_000, `it took ${tookMs} ms`);
}

// B39
test("operator started without its CRD is alive and not ready, names the kind, and works once the CRD is there", async () => {
  const Lamp = lampKind("startup");
  await using proxy = await startRecordingProxy({ target: server });
  await using running = runOperator(Lamp, proxy, server.token);
  await unready(
    running,
    "[-]informer/lamps.startup.e2e.farwatch.dev failed: Cannot list and watch lamps.startup.e2e.farwatch.dev: the server does not have this kind; install the CustomResourceDefinition lamps.startup.e2e.farwatch.dev, with version v1 served",
  );
  await assertOneLine(running, proxy, Lamp);

  const createdMs = systemClock.elapsed();
  await using _ = await serveKind(admin, Lamp);
  await assertReconciled(Lamp, "late", createdMs);
  await ready(running);
});

// B39
test("operator that may not list says which right is missing, works once it has it, and says it again when it is gone", async () => {
  const Lamp = lampKind("rights");
  await using _ = await serveKind(admin, Lamp);
  await using proxy = await startRecordingProxy({ target: server });
  const user = server.user("restricted");
  await using running = runOperator(Lamp, proxy, user.token);
  const reason =
    '[-]informer/lamps.rights.e2e.farwatch.dev failed: Cannot list and watch lamps.rights.e2e.farwatch.dev: forbidden for User "restricted"; to allow it, add { apiGroups: ["rights.e2e.farwatch.dev"], resources: ["lamps"], verbs: ["list", "watch"] } to a ClusterRole of this user';
  await unready(running, reason);
  await assertOneLine(running, proxy, Lamp);

  const subject = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: user.name } as const;
  const apiGroups = [Lamp.group];
  const grantedMs = systemClock.elapsed();
  {
    await using _granted = await grant(admin, "startup", subject, [
      { apiGroups, resources: ["lamps"], verbs: ["list", "watch"] },
      { apiGroups, resources: ["lamps/status"], verbs: ["patch"] },
    ]);
    await assertReconciled(Lamp, "allowed", grantedMs);
    await ready(running);
  }
  // The server asks for rights when a watch begins, and takes a moment to learn that they are gone.
  await using restricted = createClient({ config: loadConfig({ kubeconfig: user.kubeconfigFile }) });
  await eventually("the end of the right", async () => {
    try {
      await restricted.list(Lamp);
      return false;
    } catch (error) {
      return isCodedError(error, "Forbidden");
    }
  });
  proxy.cut();
  await unready(running, reason);
});
