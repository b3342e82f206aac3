import assert from "node:assert/strict";
import { test } from "node:test";
import type { LeaderClient } from "../client/client.ts";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedCache } from "../doubles/scripted-cache.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
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

function setUp() {
  const cache = createScriptedCache();
  cache.informer(ConfigMap);
  const log = createRecordingLogger();
  const seen = { runs: 0, counts: [] as number[] };
  const ctx: ReconcileContext = {
    signal: new AbortController().signal,
    clock: createVirtualClock(),
    log,
    cache,
    // Reads alone are asked of it here.
    client: cache as unknown as LeaderClient,
    events: {} as EventRecorder,
    attempt: 1,
  };
  const reconcile = unlessPaused(
    ConfigMap,
    async () => {
      seen.runs += 1;
    },
    (count) => seen.counts.push(count),
  );
  /** Runs with this state of the object, and says how often the reconciler ran. */
  const runsFor = async (object: ReturnType<typeof configMap> | undefined): Promise<number> => {
    if (object === undefined) cache.remove(ConfigMap, key);
    else cache.put(ConfigMap, object);
    const before = seen.runs;
    await reconcile(object?.metadata ?? key, ctx);
    return seen.runs - before;
  };
  return { log, seen, runsFor };
}

test("paused objects are left alone, their deletion included, and all others reconciled", async () => {
  const { runsFor } = setUp();
  assert.equal(await runsFor(configMap("true")), 0);
  assert.equal(await runsFor(configMap("true", { deletionTimestamp: "2030-01-01T00:00:00Z" })), 0);
  for (const other of [undefined, "false", "", "yes"]) assert.equal(await runsFor(configMap(other)), 1, String(other));
  assert.equal(await runsFor(undefined), 1, "an object that is gone");
});

test("paused objects are counted, and it is said once that one is left alone, and once that it is not any more", async () => {
  const { log, seen, runsFor } = setUp();
  const other = { name: "c", uid: "v" };
  for (const _ of ["it is paused", "something else changes"]) await runsFor(configMap("true"));
  await runsFor(configMap("true", other));
  for (const _ of ["it is released", "something else changes"]) await runsFor(configMap(undefined));
  assert.deepEqual(seen.counts, [1, 2, 1]);
  const paused = "Paused: the object is left alone until its annotation farwatch.dev/paused is taken away";
  assert.deepEqual(
    log.lines.map(({ level, message }) => [level, message]),
    [
      ["info", paused],
      ["info", paused],
      ["info", "Resumed: the object is reconciled again"],
    ],
  );
});

test("paused objects that are gone are not counted, and nothing is said of them", async () => {
  const { log, seen, runsFor } = setUp();
  await runsFor(configMap("true"));
  await runsFor(undefined);
  assert.deepEqual([seen.counts, log.lines.length], [[1, 0], 1]);
});
