import assert from "node:assert/strict";
import { test } from "node:test";
import { createCluster } from "./cluster.fixture.ts";

const definitions = "apiextensions.k8s.io/customresourcedefinitions";

test("finalizeDefinitions deletes the objects of a definition before it", async () => {
  await using cluster = await createCluster();
  await cluster.define("Thing", "Namespaced");
  await cluster.define("World", "Cluster");
  await cluster.create("example.com/things", { name: "t" });
  await cluster.create("example.com/worlds", { name: "w" });
  cluster.changes();
  for (const name of ["things.example.com", "worlds.example.com"]) {
    await cluster.remove(definitions, name);
  }
  const deletions = cluster.changes().filter((change) => change.startsWith("DELETED"));
  assert.deepEqual(deletions, [
    "DELETED things t",
    "DELETED customresourcedefinitions things.example.com",
    "DELETED worlds w",
    "DELETED customresourcedefinitions worlds.example.com",
  ]);
});

test("finalizeDefinitions says that it is at work, and waits for finalizers", async () => {
  await using cluster = await createCluster();
  await cluster.define("Thing", "Namespaced");
  await cluster.create("example.com/things", { name: "free" });
  await cluster.create("example.com/things", { name: "held", finalizers: ["x/y"] });
  await cluster.remove(definitions, "things.example.com");
  const status = cluster.get(definitions, "things.example.com")?.status ?? {};
  const { conditions = [] } = status as { readonly conditions?: readonly { readonly type: string }[] };
  assert.deepEqual(
    conditions.find(({ type }) => type === "Terminating"),
    {
      type: "Terminating",
      status: "True",
      lastTransitionTime: "2030-01-01T00:00:00Z",
      reason: "InstanceDeletionInProgress",
      message: "CustomResource deletion is in progress",
    },
  );
  assert.equal(cluster.get("example.com/things", "free"), undefined);
  await cluster.patchMeta("example.com/things", "held", { finalizers: null });
  assert.equal(cluster.get(definitions, "things.example.com"), undefined);
  assert.deepEqual(cluster.failures, []);
});
