import assert from "node:assert/strict";
import { test } from "node:test";
import { serveKind } from "@farwatch/testing";
import { createClient, loadConfig, Namespace } from "farwatch";
import { testedPeers } from "../../bench/harness/implementation.ts";
import { measure } from "../../bench/harness/measure.ts";
import { namespace, StorageBucket } from "../../bench/storage-bucket.ts";
import { startApiServer } from "../servers/api-server.ts";

const objects = 200;
const sweeps = 2;

for (const implementation of testedPeers) {
  for (const mode of ["sync", "sweep"] as const) {
    test(`${implementation.name} runs unchanged against the embedded server: ${mode}`, async () => {
      await using server = await startApiServer("embedded");
      await using client = createClient({ config: loadConfig({ kubeconfig: server.kubeconfigFile }) });
      await using _served = await serveKind(client, StorageBucket);
      await client.create(Namespace, { metadata: { name: namespace } });
      for (let i = 0; i < objects; i += 1) {
        const name = `bucket-${String(i).padStart(6, "0")}`;
        const spec = { provider: "s3", endpoint: "https://s3.example.com", bucket: name } as const;
        await client.create(StorageBucket, { metadata: { namespace, name }, spec });
      }
      const target = { kubeconfigFile: server.kubeconfigFile, pids: [] };
      const workload = { mode, objects, sweeps, events: 0, rate: 0, idleMs: 0, quietMs: 0, timeoutMs: 60_000 };
      const { problem } = await measure(implementation, target, workload);
      assert.equal(problem, undefined);
      if (mode === "sync") return;
      const buckets = await client.list(StorageBucket, { namespace });
      assert.equal(buckets.filter(({ status }) => status?.available === true).length, objects);
    });
  }
}
