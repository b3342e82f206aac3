import assert from "node:assert/strict";
import { test } from "node:test";
import { createCluster } from "./cluster.fixture.ts";

const certificate = "PEM";

test("furnishNamespaces gives each namespace a service account and the root certificate", async () => {
  await using cluster = await createCluster({ rootCertificate: certificate });
  assert.notEqual(cluster.get("serviceaccounts", "default"), undefined);
  const published = cluster.get("configmaps", "kube-root-ca.crt");
  assert.deepEqual(published?.data, { "ca.crt": certificate });
  assert.match(published?.metadata.annotations?.["kubernetes.io/description"] ?? "", /^Contains a CA bundle/);
});

test("furnishNamespaces puts back what is deleted or changed, and leaves labels", async () => {
  await using cluster = await createCluster({ rootCertificate: certificate });
  const first = cluster.get("serviceaccounts", "default")?.metadata.uid;
  await cluster.remove("serviceaccounts", "default");
  assert.notEqual(cluster.get("serviceaccounts", "default")?.metadata.uid, first);
  const key = { namespace: "home", name: "kube-root-ca.crt" };
  const patch = { metadata: { labels: { a: "b" }, annotations: null }, data: { "ca.crt": "x", more: "y" } };
  await cluster.access.patch({ group: "", resource: "configmaps" }, key, patch);
  await cluster.clock.settle();
  const published = cluster.get("configmaps", "kube-root-ca.crt");
  assert.deepEqual(published?.data, { "ca.crt": certificate });
  assert.deepEqual(published.metadata.labels, { a: "b" });
  await cluster.remove("configmaps", "kube-root-ca.crt");
  assert.notEqual(cluster.get("configmaps", "kube-root-ca.crt"), undefined);
});

test("furnishNamespaces publishes an empty certificate where the server has none", async () => {
  await using cluster = await createCluster();
  assert.deepEqual(cluster.get("configmaps", "kube-root-ca.crt")?.data, { "ca.crt": "" });
  assert.notEqual(cluster.get("serviceaccounts", "default"), undefined);
});

test("furnishNamespaces puts nothing into a namespace that is being deleted", async () => {
  await using cluster = await createCluster({ rootCertificate: certificate });
  await cluster.create("configmaps", { name: "held", finalizers: ["x/y"] });
  await cluster.remove("namespaces", "home");
  assert.equal(cluster.get("serviceaccounts", "default"), undefined);
  assert.deepEqual(cluster.failures, []);
});
