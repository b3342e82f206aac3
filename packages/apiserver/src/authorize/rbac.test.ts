import assert from "node:assert/strict";
import { test } from "node:test";
import { createRbacStage } from "./rbac.fixture.ts";
import type { AccessRequest, User } from "./user.ts";

const alice: User = { name: "alice", groups: ["system:authenticated"] };
const bob: User = { name: "bob", groups: ["devs", "system:authenticated"] };

test("rbac allows members of system:masters everything, and gives no reason", () => {
  const { rbac } = createRbacStage();
  const user = { name: "root", groups: ["system:masters"] };
  assert.deepEqual(rbac.authorize({ user, verb: "get", resource: "pods" }), { allowed: true, reason: "" });
  assert.deepEqual(rbac.authorize({ user, verb: "get", path: "/metrics" }), { allowed: true, reason: "" });
});

test("rbac allows nothing without a binding", () => {
  const { rbac } = createRbacStage();
  assert.deepEqual(rbac.authorize({ user: alice, verb: "get", resource: "pods" }), { allowed: false, reason: "" });
});

test("rbac matches verbs, groups, resources, subresources and names", () => {
  const { rbac, clusterRole, bindClusterRole } = createRbacStage();
  clusterRole("t1", [
    { apiGroups: [""], resources: ["pods", "pods/log", "*/scale"], verbs: ["get"] },
    { apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["x"], verbs: ["*"] },
  ]);
  bindClusterRole("t1", "t1", "User alice");
  const allowed = (request: Omit<AccessRequest, "user">): boolean =>
    rbac.authorize({ user: alice, ...request }).allowed;

  assert.equal(allowed({ verb: "get", resource: "pods" }), true);
  assert.equal(allowed({ verb: "get", resource: "pods", namespace: "default" }), true);
  assert.equal(allowed({ verb: "list", resource: "pods" }), false);
  assert.equal(allowed({ verb: "get", resource: "pods", subresource: "log" }), true);
  assert.equal(allowed({ verb: "get", resource: "pods", subresource: "status" }), false);
  assert.equal(allowed({ verb: "get", resource: "x", subresource: "scale" }), true);
  assert.equal(allowed({ verb: "get", resource: "x", group: "apps", subresource: "scale" }), false);
  assert.equal(allowed({ verb: "delete", resource: "deployments", group: "apps", name: "x" }), true);
  assert.equal(allowed({ verb: "delete", resource: "deployments", group: "apps", name: "y" }), false);
  assert.equal(allowed({ verb: "list", resource: "deployments", group: "apps" }), false);
});

test("rbac matches paths exactly, or by a * at the end", () => {
  const { rbac, clusterRole, bindClusterRole, bind } = createRbacStage();
  clusterRole("t1", [{ nonResourceURLs: ["/a/*", "/b"], verbs: ["get"] }]);
  clusterRole("t2", [{ nonResourceURLs: ["*"], verbs: ["get"] }]);
  bindClusterRole("t1", "t1", "User alice");
  bind(["default", "t2"], "ClusterRole t2", "User alice");
  const allowed = (path: string, verb = "get"): boolean => rbac.authorize({ user: alice, verb, path }).allowed;

  assert.deepEqual(
    ["/a/x", "/a/", "/a", "/b", "/b/"].map((path) => allowed(path)),
    [true, true, false, true, false],
  );
  assert.equal(allowed("/b", "post"), false);
  assert.equal(rbac.authorize({ user: alice, verb: "get", path: "/c", namespace: "default" }).allowed, false);
});

test("rbac says which binding allows it, to whom", () => {
  const { rbac, clusterRole, role, bindClusterRole, bind } = createRbacStage();
  clusterRole("t1", [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]);
  role("default", "r1", [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }]);
  bindClusterRole("t1", "t1", "User alice", "ServiceAccount s/default", "Group devs");
  bind(["default", "rb1"], "Role r1", "User alice", "ServiceAccount own");
  const account = (name: string): User => ({ name: `system:serviceaccount:default:${name}`, groups: [] });
  const reason = (user: User, resource: string, namespace?: string): string =>
    rbac.authorize({ user, verb: "get", resource, namespace }).reason;

  const byT1 = 'RBAC: allowed by ClusterRoleBinding "t1" of ClusterRole "t1" to';
  const byRb1 = 'RBAC: allowed by RoleBinding "rb1/default" of Role "r1" to';
  assert.equal(reason(alice, "pods"), `${byT1} User "alice"`);
  assert.equal(reason(bob, "pods"), `${byT1} Group "devs"`);
  assert.equal(reason(account("s"), "pods"), `${byT1} ServiceAccount "s/default"`);
  assert.equal(reason(alice, "configmaps", "default"), `${byRb1} User "alice"`);
  assert.equal(reason(account("own"), "configmaps", "default"), `${byRb1} ServiceAccount "own/default"`);
  assert.equal(reason(alice, "configmaps"), "");
  assert.equal(reason(alice, "configmaps", "other"), "");
});

test("rbac names the first subject of a binding that the user is", () => {
  const { rbac, clusterRole, bindClusterRole } = createRbacStage();
  clusterRole("t1", [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]);
  bindClusterRole("t1", "t1", "Group devs", "User bob");
  assert.match(rbac.authorize({ user: bob, verb: "get", resource: "pods" }).reason, /to Group "devs"$/);
});

test("rbac names roles that are bound and missing, and goes on with the others", () => {
  const { rbac, role, bindClusterRole, bind } = createRbacStage();
  bindClusterRole("b", "gone", "User alice");
  assert.equal(
    rbac.authorize({ user: alice, verb: "get", resource: "pods" }).reason,
    'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
  );
  bind(["default", "rb1"], "Role missing", "User alice");
  role("default", "there", [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]);
  bind(["default", "rb2"], "Role there", "User alice");
  assert.equal(
    rbac.authorize({ user: alice, verb: "list", resource: "pods", namespace: "default" }).reason,
    'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "missing" not found]',
  );
  assert.equal(rbac.authorize({ user: alice, verb: "get", resource: "pods", namespace: "default" }).allowed, true);
});

test("rbac sees a role, a binding and their removal at once", () => {
  const { rbac, reader, clusterRole, bindClusterRole } = createRbacStage();
  const allowed = (): boolean => rbac.authorize({ user: alice, verb: "get", resource: "pods" }).allowed;
  bindClusterRole("b", "r", "User alice");
  assert.equal(allowed(), false);
  clusterRole("r", [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]);
  assert.equal(allowed(), true);
  reader.delete({ group: "rbac.authorization.k8s.io", resource: "clusterrolebindings" }, { name: "b" });
  assert.equal(allowed(), false);
});

test("rbac reads bindings once for as long as none changes", () => {
  const { rbac, reader, clusterRole, bindClusterRole } = createRbacStage();
  clusterRole("r", [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]);
  bindClusterRole("b", "r", "User alice");
  let reads = 0;
  const { list } = reader;
  reader.list = (...which) => {
    reads += 1;
    return list(...which);
  };
  for (let n = 0; n < 10; n += 1) rbac.authorize({ user: alice, verb: "get", resource: "pods" });
  assert.equal(reads, 1);
});
