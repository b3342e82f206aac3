// The policy of docs/ingress-security.md, as it stands there, on a real kube-apiserver.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createTestEnv } from "@farwatch/testing";
import { requestedAtAnnotation } from "farwatch";
import { policyCounts } from "../policy-counts.ts";
import { Repository } from "./repository.ts";

const [, policy = ""] =
  /^```yaml\n(apiVersion: admissionregistration[\s\S]*?)^```$/m.exec(
    readFileSync("docs/ingress-security.md", "utf8"),
  ) ?? [];

const manifests = [
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: "default", name: "operator" } },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "operator" },
    rules: [{ apiGroups: ["example.farwatch.dev"], resources: ["repositories", "repositories/status"], verbs: ["*"] }],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "operator" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "operator" },
    subjects: [{ kind: "ServiceAccount", namespace: "default", name: "operator" }],
  },
];

test("annotation policy lets the operator change annotations of farwatch.dev and the status, and nothing else", async () => {
  await using env = await createTestEnv({
    server: "kube-apiserver",
    resources: [Repository],
    manifests: [...manifests, policy],
    as: "system:serviceaccount:default:operator",
  });
  const key = { namespace: "default", name: "site" };
  const operator = env.replica().client;
  await env.client.create(Repository, {
    metadata: { ...key, annotations: { note: "mine" }, labels: { app: "site" } },
    spec: { url: "git@site" },
  });
  const site = () => operator.get(Repository, key, { live: true });

  await policyCounts(async () => operator.patch(await site(), { spec: { url: "git@elsewhere" } }, { dryRun: true }));

  for (const change of [
    { spec: { url: "git@elsewhere" } },
    { metadata: { labels: { app: "other" } } },
    { metadata: { labels: null } },
    { metadata: { finalizers: ["example.farwatch.dev/x"] } },
    { metadata: { annotations: { note: "theirs" } } },
    { metadata: { annotations: { note: null } } },
    { metadata: { annotations: { other: "x" } } },
    { metadata: { annotations: null } },
    { metadata: { annotations: { [requestedAtAnnotation]: "x" } }, spec: { url: "git@elsewhere" } },
  ]) {
    await assert.rejects(
      operator.patch(await site(), change),
      /the operator may (?:not )?change/,
      JSON.stringify(change),
    );
  }

  await operator.patch(await site(), { metadata: { annotations: { [requestedAtAnnotation]: "now/12345678" } } });
  await operator.patchStatus(await site(), { fetched: 1 });
  const { metadata, spec, status } = await site();
  assert.deepEqual(metadata.annotations, { note: "mine", [requestedAtAnnotation]: "now/12345678" });
  assert.deepEqual([metadata.labels, spec, status], [{ app: "site" }, { url: "git@site" }, { fetched: 1 }]);
  await env.client.patch(await site(), { spec: { url: "git@new" } });
});
