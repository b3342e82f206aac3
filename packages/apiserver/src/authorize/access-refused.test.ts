import assert from "node:assert/strict";
import { test } from "node:test";
import { accessRefused } from "./access-refused.ts";

const user = { name: "alice", groups: [] };
const no = { allowed: false, reason: "" };

test("accessRefused names verb, resource, group and namespace", () => {
  const request = {
    user,
    verb: "get",
    group: "apps",
    resource: "deployments",
    subresource: "scale",
    namespace: "n",
    name: "x",
  };
  const status = accessRefused(request, no).toStatus();
  assert.equal(
    status.message,
    'deployments.apps "x" is forbidden: User "alice" cannot get resource "deployments/scale" in API group "apps" in the namespace "n"',
  );
  assert.deepEqual(status.details, { name: "x", group: "apps", kind: "deployments" });
});

test("accessRefused adds the reason, at the cluster scope", () => {
  const error = accessRefused({ user, verb: "list", resource: "pods" }, { allowed: false, reason: "RBAC: why" });
  assert.equal(
    error.message,
    'pods is forbidden: User "alice" cannot list resource "pods" in API group "" at the cluster scope: RBAC: why',
  );
});

test("accessRefused names a path, and quotes as the real server does", () => {
  const error = accessRefused({ user: { name: 'a<b>&"', groups: [] }, verb: "get", path: '/a"b<c' }, no);
  assert.equal(error.message, 'forbidden: User "a&lt;b&gt;&amp;\\"" cannot get path "/a\\"b&lt;c"');
  assert.deepEqual(error.toStatus().details, {});
});
