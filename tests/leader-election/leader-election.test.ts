import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, Lease, loadConfig, Namespace } from "farwatch";
import { apiServerNames, startApiServer } from "../servers/api-server.ts";
import { startContender } from "./contender.ts";

const namespace = "leader-election";

for (const name of apiServerNames) {
  test(`${name} lets client-go elect one of two, and the other when that one gives up or dies`, async () => {
    await using server = await startApiServer(name);
    await using client = createClient({ config: loadConfig({ kubeconfig: server.kubeconfigFile }) });
    await client.create(Namespace, { metadata: { name: namespace } });
    const { kubeconfigFile } = server;
    const json = { kubeconfigFile, namespace, contentType: "application/json" } as const;
    const protobuf = { ...json, contentType: "application/vnd.kubernetes.protobuf" } as const;
    await using first = await startContender({ ...json, identity: "first" });
    await first.printed("leads");
    await using second = await startContender({ ...protobuf, identity: "second" });
    await second.printed("follows first");
    assert.ok(!second.stdout.includes("leads"));

    first.kill("SIGTERM");
    await first.printed("leads no more");
    await second.printed("leads");

    await using third = await startContender({ ...json, identity: "third" });
    await third.printed("follows second");
    second.kill("SIGKILL");
    await third.printed("leads");

    const { spec = {} } = await client.get(Lease, { namespace, name: "leader" }, { live: true });
    assert.deepEqual(
      { holder: spec.holderIdentity, duration: spec.leaseDurationSeconds, transitions: spec.leaseTransitions },
      { holder: "third", duration: 3, transitions: 2 },
    );
  });
}
