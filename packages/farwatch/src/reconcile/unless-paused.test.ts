import assert from "node:assert/strict";
import { test } from "node:test";
import type { LeaderClient } from "../client/client.ts";
import { createScriptedCache } from "../doubles/scripted-cache.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { silentLogger } from "../observe/logger.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { ReconcileContext } from "./reconciler.ts";
import { unlessPaused } from "./unless-paused.ts";

const key = { namespace: "a", name: "b" };

function configMap(paused: string | undefined, metadata: object = {}) {
  const annotations = paused === undefined ? {} : { "farwatch.dev/paused": paused };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...key, uid: "u", resourceVersion: "1", annotations, ...metadata },
  };
}

async function runsFor(object: ReturnType<typeof configMap> | undefined): Promise<number> {
  const cache = createScriptedCache();
  using _declared = cache.informer(ConfigMap);
  if (object !== undefined) cache.put(ConfigMap, object);
  const ctx: ReconcileContext = {
    signal: new AbortController().signal,
    clock: createVirtualClock(),
    log: silentLogger,
    cache,
    // Reads alone are asked of it here.
    client: cache as unknown as LeaderClient,
    events: {} as EventRecorder,
    attempt: 1,
  };
  let runs = 0;
  const reconcile = unlessPaused(ConfigMap, async () => {
    runs += 1;
  });
  await reconcile(key, ctx);
  return runs;
}

test("paused objects are left alone, their deletion included, and all others reconciled", async () => {
  assert.equal(await runsFor(configMap("true")), 0);
  assert.equal(await runsFor(configMap("true", { deletionTimestamp: "2030-01-01T00:00:00Z" })), 0);
  for (const other of [undefined, "false", "", "yes"]) assert.equal(await runsFor(configMap(other)), 1, String(other));
  assert.equal(await runsFor(undefined), 1, "an object that is gone");
});
