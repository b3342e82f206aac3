import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../failure/api-error.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { checkEscalation, type RbacWrite } from "./escalation.ts";
import { createRbacStage, type RbacStage } from "./rbac.fixture.ts";
import type { PolicyRule } from "./rbac-rule.ts";
import type { User } from "./user.ts";

const bob: User = { name: "bob", groups: ["devs", "system:authenticated"] };
const held: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["pods", "*/scale"], verbs: ["get", "list"] },
  { apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["d1"], verbs: ["get"] },
  { nonResourceURLs: ["/x/*"], verbs: ["get"] },
];

function stage(): RbacStage {
  const made = createRbacStage();
  made.clusterRole("held", held);
  made.bindClusterRole("held", "held", "User bob");
  return made;
}

function role(rules: readonly PolicyRule[] | undefined, rest: object = {}): DraftObject {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "new" },
    ...(rules && { rules }),
    ...rest,
  };
}

function write(object: DraftObject, rest: Partial<RbacWrite> = {}): RbacWrite {
  return {
    user: bob,
    resource: "clusterroles",
    name: undefined,
    namespace: undefined,
    object,
    old: undefined,
    ...rest,
  };
}

function refusal(made: RbacStage, asked: RbacWrite): string {
  try {
    checkEscalation(made.rbac, asked);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error.message;
  }
  return "";
}

const start =
  'clusterroles.rbac.authorization.k8s.io "new" is forbidden: user "bob" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n';

test("checkEscalation lets pass what the writer has", () => {
  const owned = [
    { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
    { apiGroups: [""], resources: ["pods"], resourceNames: ["x"], verbs: ["list"] },
    { apiGroups: [""], resources: ["deployments/scale"], verbs: ["get"] },
    { apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["d1"], verbs: ["get"] },
    { nonResourceURLs: ["/x/y", "/x/*"], verbs: ["get"] },
  ];
  assert.equal(refusal(stage(), write(role(owned))), "");
  assert.equal(refusal(stage(), write(role([]))), "");
});

test("checkEscalation lists what the writer lacks, verbs of one resource together", () => {
  const wanted = [
    { apiGroups: [""], resources: ["pods", "secrets"], verbs: ["get", "delete"] },
    { nonResourceURLs: ["/x/y", "/z", "*"], verbs: ["get", "post"] },
  ];
  assert.equal(
    refusal(stage(), write(role(wanted))),
    `${start}${[
      '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}',
      '{NonResourceURLs:["*"], Verbs:["get"]}',
      '{NonResourceURLs:["*"], Verbs:["post"]}',
      '{NonResourceURLs:["/x/y"], Verbs:["post"]}',
      '{NonResourceURLs:["/z"], Verbs:["get"]}',
      '{NonResourceURLs:["/z"], Verbs:["post"]}',
    ].join("\n")}`,
  );
});

test("checkEscalation tells apart names, and names from none", () => {
  const wanted = [
    { apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["d1", "d2"], verbs: ["get"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
  ];
  assert.equal(
    refusal(stage(), write(role(wanted))),
    `${start}{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["d2"], Verbs:["get"]}\n{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}`,
  );
});

test("checkEscalation adds the roles that could not be found", () => {
  const made = stage();
  made.bindClusterRole("lost", "gone", "User bob");
  assert.equal(
    refusal(made, write(role([{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }]))),
    `${start}{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}; resolution errors: [clusterroles.rbac.authorization.k8s.io "gone" not found]`,
  );
});

test("checkEscalation wants everything of whoever writes an aggregation rule", () => {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] };
  assert.equal(
    refusal(stage(), write(role(undefined, { aggregationRule }))),
    'clusterroles.rbac.authorization.k8s.io "new" is forbidden: must have cluster-admin privileges to use the aggregationRule',
  );
});

test("checkEscalation lets pass who may escalate that very role", () => {
  const made = stage();
  const group = ["rbac.authorization.k8s.io"];
  made.clusterRole("e", [
    { apiGroups: group, resources: ["clusterroles"], resourceNames: ["new"], verbs: ["escalate"] },
  ]);
  made.bindClusterRole("e", "e", "User bob");
  const object = role([{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }]);
  assert.equal(refusal(made, write(object, { name: "new" })), "");
  assert.notEqual(refusal(made, write(object)), "", "a create has no name in its path");
});

test("checkEscalation lets pass members of system:masters", () => {
  const user = { name: "root", groups: ["system:masters"] };
  const object = role([{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]);
  assert.equal(refusal(createRbacStage(), write(object, { user })), "");
});

test("checkEscalation lets pass a write of nothing but finalizers and owners", () => {
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
  const old = { ...role(rules), metadata: { name: "new", uid: "u", resourceVersion: "1" } } satisfies StoredObject;
  const object = { ...old, metadata: { ...old.metadata, finalizers: ["a/b"], managedFields: [] } };
  assert.equal(refusal(stage(), write(object, { name: "new", old })), "");
  const labelled = { ...object, metadata: { ...object.metadata, labels: { a: "b" } } };
  assert.notEqual(refusal(stage(), write(labelled, { name: "new", old })), "");
});

function binding(kind: string, name: string): DraftObject {
  return { ...role(undefined), kind: "RoleBinding", roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name } };
}

test("checkEscalation refuses a binding to a role of which the writer has not all", () => {
  const made = stage();
  made.clusterRole("nodes", [{ apiGroups: [""], resources: ["nodes"], verbs: ["get"] }]);
  const asked = write(binding("ClusterRole", "nodes"), { resource: "rolebindings", namespace: "default" });
  assert.match(
    refusal(made, asked),
    /^rolebindings\.rbac.*not currently held:\n\{APIGroups:\[""\], Resources:\["nodes"\], Verbs:\["get"\]\}$/s,
  );
  assert.equal(refusal(made, write(binding("ClusterRole", "held"), { resource: "clusterrolebindings" })), "");
});

test("checkEscalation lets pass who may bind that role, there or not", () => {
  const made = stage();
  made.clusterRole("b", [
    {
      apiGroups: ["rbac.authorization.k8s.io"],
      resources: ["clusterroles"],
      resourceNames: ["nodes"],
      verbs: ["bind"],
    },
  ]);
  made.bindClusterRole("b", "b", "User bob");
  assert.equal(refusal(made, write(binding("ClusterRole", "nodes"), { resource: "clusterrolebindings" })), "");
});

test("checkEscalation answers a binding to a missing role with 404 of the binding's resource", () => {
  const asked = write(binding("Role", "missing"), { resource: "rolebindings", namespace: "default" });
  assert.equal(refusal(stage(), asked), 'rolebindings.rbac.authorization.k8s.io "missing" not found');
});
