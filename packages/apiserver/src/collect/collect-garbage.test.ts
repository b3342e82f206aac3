import assert from "node:assert/strict";
import { test } from "node:test";
import { createCluster, home, ownedBy } from "./cluster.fixture.ts";

const blocking = { blockOwnerDeletion: true };
const nobody = { apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: "11111111-1111-4111-8111-111111111111" };

test("collectGarbage deletes dependents after their owner, down the chain", async () => {
  await using cluster = await createCluster();
  const owner = await cluster.create("configmaps", { name: "o" });
  const middle = await cluster.create("secrets", { name: "m", ownerReferences: [ownedBy(owner)] });
  await cluster.create("configmaps", { name: "l", ownerReferences: [ownedBy(middle)] });
  cluster.changes();
  await cluster.remove("configmaps", "o");
  assert.deepEqual(cluster.changes(), ["DELETED configmaps o", "DELETED secrets m", "DELETED configmaps l"]);
  assert.deepEqual(cluster.failures, []);
});

test("collectGarbage holds an owner that is deleted in the foreground until those that block it are gone", async () => {
  await using cluster = await createCluster();
  const owner = await cluster.create("configmaps", { name: "o" });
  const ownerReferences = [ownedBy(owner, blocking)];
  await cluster.create("configmaps", { name: "held", ownerReferences, finalizers: ["x/y"] });
  await cluster.create("configmaps", { name: "free", ownerReferences: [ownedBy(owner)] });
  cluster.changes();
  await cluster.remove("configmaps", "o", "Foreground");
  assert.deepEqual(cluster.get("configmaps", "o")?.metadata.finalizers, ["foregroundDeletion"]);
  assert.notEqual(cluster.get("configmaps", "held")?.metadata.deletionTimestamp, undefined);
  assert.equal(cluster.get("configmaps", "free"), undefined);
  await cluster.patchMeta("configmaps", "held", { finalizers: null });
  assert.equal(cluster.get("configmaps", "o"), undefined);
});

test("collectGarbage does not hold an owner for dependents that do not block it", async () => {
  await using cluster = await createCluster();
  const owner = await cluster.create("configmaps", { name: "o" });
  await cluster.create("configmaps", { name: "d", ownerReferences: [ownedBy(owner)], finalizers: ["x/y"] });
  await cluster.remove("configmaps", "o", "Foreground");
  assert.equal(cluster.get("configmaps", "o"), undefined);
  assert.notEqual(cluster.get("configmaps", "d")?.metadata.deletionTimestamp, undefined);
});

test("collectGarbage deletes a chain in the foreground from its end", async () => {
  await using cluster = await createCluster();
  const owner = await cluster.create("configmaps", { name: "o" });
  const middle = await cluster.create("configmaps", { name: "m", ownerReferences: [ownedBy(owner, blocking)] });
  await cluster.create("configmaps", { name: "l", ownerReferences: [ownedBy(middle, blocking)] });
  cluster.changes();
  await cluster.remove("configmaps", "o", "Foreground");
  const deletions = cluster.changes().filter((change) => change.startsWith("DELETED"));
  assert.deepEqual(deletions, ["DELETED configmaps l", "DELETED configmaps m", "DELETED configmaps o"]);
});

test("collectGarbage deletes two in the foreground that own each other", async () => {
  await using cluster = await createCluster();
  const one = await cluster.create("configmaps", { name: "one" });
  const two = await cluster.create("configmaps", { name: "two", ownerReferences: [ownedBy(one, blocking)] });
  await cluster.patchMeta("configmaps", "one", { ownerReferences: [ownedBy(two, blocking)] });
  await cluster.remove("configmaps", "one", "Foreground");
  assert.equal(cluster.get("configmaps", "one"), undefined);
  assert.equal(cluster.get("configmaps", "two"), undefined);
});

test("collectGarbage leaves dependents to themselves when their owner is deleted as an orphaning one", async () => {
  await using cluster = await createCluster();
  const owner = await cluster.create("configmaps", { name: "o" });
  const other = await cluster.create("configmaps", { name: "other" });
  await cluster.create("configmaps", { name: "a", ownerReferences: [ownedBy(owner)] });
  await cluster.create("configmaps", { name: "b", ownerReferences: [ownedBy(owner), ownedBy(other)] });
  cluster.changes();
  await cluster.remove("configmaps", "o", "Orphan");
  assert.equal(cluster.get("configmaps", "o"), undefined);
  assert.equal(cluster.get("configmaps", "a")?.metadata.ownerReferences, undefined);
  assert.deepEqual(cluster.get("configmaps", "b")?.metadata.ownerReferences, [ownedBy(other)]);
});

test("collectGarbage keeps what another owner holds, and takes the reference to the one that goes", async () => {
  await using cluster = await createCluster();
  const owner = await cluster.create("configmaps", { name: "o" });
  const other = await cluster.create("configmaps", { name: "other" });
  await cluster.create("configmaps", { name: "d", ownerReferences: [ownedBy(owner, blocking), ownedBy(other)] });
  await cluster.remove("configmaps", "o", "Foreground");
  assert.equal(cluster.get("configmaps", "o"), undefined);
  assert.deepEqual(cluster.get("configmaps", "d")?.metadata.ownerReferences, [ownedBy(other)]);
});

test("collectGarbage deletes what names an owner that is not there, or another one of that name", async () => {
  await using cluster = await createCluster();
  const other = await cluster.create("configmaps", { name: "other" });
  await cluster.create("configmaps", { name: "a", ownerReferences: [nobody] });
  await cluster.create("configmaps", { name: "b", ownerReferences: [{ ...ownedBy(other), uid: nobody.uid }] });
  await cluster.create("configmaps", { name: "c", ownerReferences: [nobody, ownedBy(other)] });
  assert.equal(cluster.get("configmaps", "a"), undefined);
  assert.equal(cluster.get("configmaps", "b"), undefined);
  assert.deepEqual(cluster.get("configmaps", "c")?.metadata.ownerReferences, [ownedBy(other)]);
});

test("collectGarbage follows an owner of the whole cluster", async () => {
  await using cluster = await createCluster();
  const node = await cluster.create("nodes", { name: "n" });
  await cluster.create("configmaps", { name: "d", ownerReferences: [ownedBy(node)] });
  assert.notEqual(cluster.get("configmaps", "d"), undefined);
  await cluster.remove("nodes", "n");
  assert.equal(cluster.get("configmaps", "d"), undefined);
});

test("collectGarbage takes an owner in another namespace for none, and says so in an Event", async () => {
  await using cluster = await createCluster();
  await cluster.create("namespaces", { name: "far" });
  const owner = await cluster.create("configmaps", { name: "o", namespace: "far" });
  await cluster.create("configmaps", { name: "d", ownerReferences: [ownedBy(owner)] });
  assert.equal(cluster.get("configmaps", "d"), undefined);
  const [event] = cluster.access.list({ group: "", resource: "events" }, home);
  assert.equal(event?.reason, "OwnerRefInvalidNamespace");
  assert.equal(
    event.message,
    `ownerRef [v1/ConfigMap, namespace: home, name: o, uid: ${owner.metadata.uid}] does not exist in namespace "home"`,
  );
});

test("collectGarbage leaves an object of the cluster alone that names an owner in a namespace", async () => {
  await using cluster = await createCluster();
  const owner = await cluster.create("configmaps", { name: "o" });
  await cluster.create("namespaces", { name: "default" });
  await cluster.create("nodes", { name: "n", ownerReferences: [ownedBy(owner)] });
  await cluster.remove("configmaps", "o");
  assert.notEqual(cluster.get("nodes", "n"), undefined);
  const [event] = cluster.access.list({ group: "", resource: "events" }, "default");
  assert.equal(
    event?.message,
    `ownerRef [v1/ConfigMap, namespace: , name: o, uid: ${owner.metadata.uid}] does not exist in namespace ""`,
  );
});

test("collectGarbage waits for a kind that is not served before it judges its objects as owners", async () => {
  await using cluster = await createCluster();
  const thing = { apiVersion: "example.com/v1", kind: "Thing", name: "t", uid: nobody.uid };
  await cluster.create("configmaps", { name: "d", ownerReferences: [thing] });
  assert.notEqual(cluster.get("configmaps", "d"), undefined);
  await cluster.define("Thing", "Namespaced");
  assert.equal(cluster.get("configmaps", "d"), undefined);
});

test("collectGarbage follows custom objects as owners and as dependents", async () => {
  await using cluster = await createCluster();
  await cluster.define("Thing", "Namespaced");
  await cluster.define("World", "Cluster");
  const world = await cluster.create("example.com/worlds", { name: "w" });
  const thing = await cluster.create("example.com/things", { name: "t", ownerReferences: [ownedBy(world)] });
  await cluster.create("configmaps", { name: "d", ownerReferences: [ownedBy(thing)] });
  cluster.changes();
  await cluster.remove("example.com/worlds", "w");
  assert.deepEqual(cluster.changes(), ["DELETED worlds w", "DELETED things t", "DELETED configmaps d"]);
});

test("collectGarbage needs no time, and leaves no timer", async () => {
  await using cluster = await createCluster();
  const owner = await cluster.create("configmaps", { name: "o" });
  for (let n = 0; n < 50; n += 1) {
    await cluster.create("configmaps", { name: `d${n}`, ownerReferences: [ownedBy(owner, blocking)] });
  }
  await cluster.remove("configmaps", "o", "Foreground");
  const left = cluster.access.list({ group: "", resource: "configmaps" }, home);
  assert.deepEqual(
    left.map(({ metadata }) => metadata.name),
    ["kube-root-ca.crt"],
  );
  assert.equal(cluster.clock.pendingTimers, 0);
});
