import assert from "node:assert/strict";
import { test } from "node:test";
import { createCluster } from "./cluster.fixture.ts";

const clusterRoles = "rbac.authorization.k8s.io/clusterroles";
const read = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const write = { verbs: ["create"], apiGroups: [""], resources: ["pods"] };
const label = "rbac.authorization.k8s.io/aggregate-to-view";
const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [label]: "true" } }] };

test("aggregateRoles fills a role with the rules of those that it selects, each once", async () => {
  await using cluster = await createCluster();
  await cluster.create(clusterRoles, { name: "b", labels: { [label]: "true" } }, { rules: [write, read] });
  await cluster.create(clusterRoles, { name: "all" }, { aggregationRule });
  assert.deepEqual(cluster.get(clusterRoles, "all")?.rules, [write, read]);
  await cluster.create(clusterRoles, { name: "a", labels: { [label]: "true" } }, { rules: [read] });
  assert.deepEqual(cluster.get(clusterRoles, "all")?.rules, [read, write]);
  await cluster.remove(clusterRoles, "b");
  assert.deepEqual(cluster.get(clusterRoles, "all")?.rules, [read]);
  await cluster.patchMeta(clusterRoles, "a", { labels: null });
  assert.deepEqual(cluster.get(clusterRoles, "all")?.rules ?? [], []);
});

test("aggregateRoles follows roles that are aggregated themselves, and expressions", async () => {
  await using cluster = await createCluster();
  await cluster.create(clusterRoles, { name: "view", labels: { to: "edit" } }, { aggregationRule });
  const matchExpressions = [
    { key: "to", operator: "In", values: ["edit"] },
    { key: "not", operator: "DoesNotExist" },
  ];
  await cluster.create(
    clusterRoles,
    { name: "edit" },
    { aggregationRule: { clusterRoleSelectors: [{ matchExpressions }] } },
  );
  await cluster.create(clusterRoles, { name: "part", labels: { [label]: "true" } }, { rules: [read] });
  await cluster.create(clusterRoles, { name: "other", labels: { to: "edit", not: "" } }, { rules: [write] });
  assert.deepEqual(cluster.get(clusterRoles, "edit")?.rules, [read]);
  assert.deepEqual(cluster.failures, []);
});
