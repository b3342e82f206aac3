import assert from "node:assert/strict";
import { test } from "node:test";
import { type BootstrapObjects, bootstrapPolicy } from "./bootstrap-policy.ts";
import { createMemoryReader } from "./memory-reader.fixture.ts";
import { createRbac } from "./rbac.ts";
import { rbacGroup } from "./rbac-grants.ts";

const now = "2030-01-01T00:00:00Z";

function namesOf(resource: BootstrapObjects["resource"]): readonly string[] {
  return bootstrapPolicy(now).flatMap((one) =>
    one.resource === resource ? one.objects.map(({ metadata }) => metadata.name ?? "") : [],
  );
}

test("bootstrapPolicy binds to roles that it has", () => {
  for (const { objects } of bootstrapPolicy(now)) {
    for (const { roleRef } of objects) {
      if (roleRef === undefined) continue;
      const { kind, name } = roleRef as { readonly kind: string; readonly name: string };
      assert.ok(namesOf(kind === "ClusterRole" ? "clusterroles" : "roles").includes(name), name);
    }
  }
});

test("bootstrapPolicy gives each rule verbs, and either resources with groups or paths", () => {
  for (const { objects } of bootstrapPolicy(now)) {
    for (const { rules, metadata } of objects) {
      for (const rule of (rules ?? []) as readonly Readonly<Record<string, readonly string[]>>[]) {
        const fields = Object.keys(rule).toSorted().join();
        assert.match(fields, /^(apiGroups,(resourceNames,)?resources|nonResourceURLs),verbs$/, metadata.name);
        for (const path of rule.nonResourceURLs ?? []) assert.match(path, /^(\/.*|\*)$/);
      }
    }
  }
});

test("bootstrapPolicy lets everyone who is known ask about themselves, and nobody do more", () => {
  const reader = createMemoryReader();
  for (const { resource, objects } of bootstrapPolicy(now))
    for (const object of objects) reader.put({ group: rbacGroup, resource }, object);
  const rbac = createRbac({ reader, revision: () => reader.revision });
  const user = { name: "alice", groups: ["system:authenticated"] };
  const review = { user, verb: "create", group: "authorization.k8s.io", resource: "selfsubjectaccessreviews" };
  assert.match(rbac.authorize(review).reason, /ClusterRoleBinding "system:basic-user"/);
  assert.equal(rbac.authorize({ user, verb: "get", path: "/apis/apps/v1" }).allowed, true);
  assert.equal(rbac.authorize({ user, verb: "get", path: "/metrics" }).allowed, false);
  assert.equal(rbac.authorize({ user, verb: "list", resource: "pods" }).allowed, false);
  const anonymous = { name: "system:anonymous", groups: ["system:unauthenticated"] };
  assert.equal(rbac.authorize({ user: anonymous, verb: "get", path: "/healthz" }).allowed, true);
  assert.equal(rbac.authorize({ user: anonymous, verb: "get", path: "/api" }).allowed, false);
});

test("bootstrapPolicy makes objects of their own at each call", () => {
  assert.notEqual(bootstrapPolicy(now)[0]?.objects[0], bootstrapPolicy(now)[0]?.objects[0]);
});

test("bootstrapPolicy says that the server has written its objects", () => {
  const [roles] = bootstrapPolicy(now);
  const view = roles?.objects.find(({ metadata }) => metadata.name === "view");
  assert.deepEqual(view?.metadata.managedFields, [
    {
      manager: "kube-apiserver",
      operation: "Update",
      apiVersion: "rbac.authorization.k8s.io/v1",
      time: now,
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:aggregationRule": { ".": {}, "f:clusterRoleSelectors": {} },
        "f:metadata": {
          "f:annotations": { ".": {}, "f:rbac.authorization.kubernetes.io/autoupdate": {} },
          "f:labels": {
            ".": {},
            "f:kubernetes.io/bootstrapping": {},
            "f:rbac.authorization.k8s.io/aggregate-to-edit": {},
          },
        },
      },
    },
  ]);
});
