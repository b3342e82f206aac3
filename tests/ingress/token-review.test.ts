// Tokens of service accounts, as the embedded API server and a real kube-apiserver review them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestEnv, type TestEnvOptions } from "@farwatch/testing";
import {
  ConfigMap,
  defineController,
  enqueueRequestsFromMapFunc,
  requestedAtAnnotation,
  ServiceAccount,
  tokenReview,
  watch,
  webhookSource,
} from "farwatch";

const manifests = [
  ...["operator", "sender", "other"].map((name) => ({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace: "default", name },
  })),
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "operator" },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch", "patch"] }],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "sends-builds" },
    rules: [{ nonResourceURLs: ["/ingress/builds"], verbs: ["post"] }],
  },
  binding("operator", "operator"),
  binding("system:auth-delegator", "operator"),
  binding("sends-builds", "sender"),
];

function binding(role: string, account: string): object {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: `${account}-${role.replaceAll(":", "-")}` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", namespace: "default", name: account }],
  };
}

for (const server of ["embedded", "kube-apiserver"] satisfies readonly TestEnvOptions["server"][]) {
  test(`webhook behind tokenReview takes tokens of its own audience from whom RBAC lets send, on ${server}`, async () => {
    await using env = await createTestEnv({
      server,
      manifests,
      as: "system:serviceaccount:default:operator",
      manager: { ingress: { host: "127.0.0.1", port: 0 } },
    });
    env.manager.add(
      defineController({
        for: ConfigMap,
        watches: [
          watch(
            webhookSource({ name: "builds", path: "/builds", auth: tokenReview() }),
            enqueueRequestsFromMapFunc(() => ["absent", "present"].map((name) => ({ namespace: "default", name }))),
          ),
        ],
        async reconcile() {},
      }),
    );
    await env.start();

    const tokenOf = async (name: string, audience?: string): Promise<string> => {
      const spec = { expirationSeconds: 600, ...(audience === undefined ? {} : { audiences: [audience] }) };
      const request = {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        metadata: { namespace: "default", name },
        spec,
      };
      const answer: object = await env.client.create(ServiceAccount, request, { subresource: "token" });
      return (answer as { readonly status: { readonly token: string } }).status.token;
    };
    const post = async (token: string): Promise<number> => {
      const { host, port } = env.manager.ingressAddress ?? { host: "", port: 0 };
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
      const response = await fetch(`http://${host}:${port}/builds`, { method: "POST", body: "{}", headers });
      assert.equal(await response.text(), "");
      return response.status;
    };

    const present = { namespace: "default", name: "present" };
    await env.client.create(ConfigMap, { metadata: present });
    const own = "farwatch.dev/ingress";
    assert.equal(await post(await tokenOf("sender", own)), 202);
    const { metadata } = await env.client.get(ConfigMap, present);
    assert.match(metadata.annotations?.[requestedAtAnnotation] ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+Z\/[0-9a-z]{8}$/);
    assert.equal(await post(await tokenOf("other", own)), 401, "RBAC does not let it send");
    assert.equal(await post(await tokenOf("sender")), 401, "a default token of a service account");
    assert.equal(await post(await tokenOf("sender", "elsewhere")), 401, "a token of another audience");
    assert.equal(await post(`${await tokenOf("sender", own)}x`), 401, "a forged token");
    assert.deepEqual(env.missingRules, []);
    assert.doesNotMatch(JSON.stringify(env.lines), /eyJ/);
  });
}
