import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredObject } from "../registry/api-object.ts";
import { createCluster, home } from "./cluster.fixture.ts";

type Conditions = readonly {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}[];

function conditionsOf(namespace: StoredObject | undefined): Conditions {
  return (namespace?.status as { readonly conditions?: Conditions } | undefined)?.conditions ?? [];
}

// B81
test("emptyNamespaces deletes a namespace with everything in it at once", async () => {
  await using cluster = await createCluster();
  await cluster.create("configmaps", { name: "a" });
  await cluster.define("Thing", "Namespaced");
  await cluster.create("example.com/things", { name: "t" });
  await cluster.remove("namespaces", home);
  assert.equal(cluster.get("namespaces", home), undefined);
  assert.equal(cluster.get("configmaps", "a"), undefined);
  assert.equal(cluster.get("example.com/things", "t"), undefined);
  assert.deepEqual(cluster.failures, []);
});

test("emptyNamespaces leaves other namespaces and the cluster alone", async () => {
  await using cluster = await createCluster();
  await cluster.create("namespaces", { name: "home2" });
  await cluster.create("configmaps", { name: "a", namespace: "home2" });
  await cluster.create("nodes", { name: "n" });
  await cluster.remove("namespaces", home);
  assert.notEqual(cluster.get("configmaps", "a", "home2"), undefined);
  assert.notEqual(cluster.get("nodes", "n"), undefined);
});

test("emptyNamespaces says what remains, and ends when it is gone", async () => {
  await using cluster = await createCluster();
  await cluster.create("configmaps", { name: "a", finalizers: ["x/y", "x/z"] });
  await cluster.create("configmaps", { name: "b", finalizers: ["x/y"] });
  await cluster.create("secrets", { name: "b", finalizers: ["x/y"] });
  await cluster.remove("namespaces", home);
  const told = conditionsOf(cluster.get("namespaces", home)).map(({ type, status, reason, message }) =>
    [type, status, reason, message].join(" | "),
  );
  assert.deepEqual(told, [
    "NamespaceDeletionDiscoveryFailure | False | ResourcesDiscovered | All resources successfully discovered",
    "NamespaceDeletionGroupVersionParsingFailure | False | ParsedGroupVersions | All legacy kube types successfully parsed",
    "NamespaceDeletionContentFailure | False | ContentDeleted | All content successfully deleted, may be waiting on finalization",
    "NamespaceContentRemaining | True | SomeResourcesRemain | Some resources are remaining: configmaps. has 2 resource instances, secrets. has 1 resource instances",
    "NamespaceFinalizersRemaining | True | SomeFinalizersRemain | Some content in the namespace has finalizers remaining: x/y in 3 resource instances, x/z in 1 resource instances",
  ]);
  for (const [resource, name] of [
    ["configmaps", "a"],
    ["configmaps", "b"],
    ["secrets", "b"],
  ] as const) {
    await cluster.patchMeta(resource, name, { finalizers: null });
  }
  assert.equal(cluster.get("namespaces", home), undefined);
  assert.equal(cluster.clock.pendingTimers, 0);
});

test("emptyNamespaces waits for pods before it deletes the rest", async () => {
  await using cluster = await createCluster();
  const spec = { containers: [{ name: "a", image: "a" }] };
  await cluster.create("pods", { name: "p", finalizers: ["x/y"] }, { spec });
  await cluster.create("configmaps", { name: "a" });
  await cluster.remove("namespaces", home);
  assert.equal(cluster.get("configmaps", "a")?.metadata.deletionTimestamp, undefined);
  assert.notEqual(cluster.get("configmaps", "a"), undefined);
  const told = conditionsOf(cluster.get("namespaces", home));
  assert.equal(told.length, 5);
  assert.ok(
    told.every(({ status }) => status === "False"),
    "as the real server has it",
  );
  await cluster.patchMeta("pods", "p", { finalizers: null });
  assert.equal(cluster.get("namespaces", home), undefined);
});
