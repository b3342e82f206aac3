import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../failure/api-error.ts";
import { impersonated, type RequestHeaders } from "./impersonate.ts";
import { createRbacStage } from "./rbac.fixture.ts";
import type { Authorizer, User } from "./user.ts";

const admin: User = { name: "admin", groups: ["system:masters", "system:authenticated"] };
const alice: User = { name: "alice", groups: ["system:authenticated"] };
const { rbac } = createRbacStage();

function refusal(user: User, headers: RequestHeaders, authorizer: Authorizer = rbac): string {
  try {
    impersonated(user, headers, authorizer);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return `${error.code} ${error.message}`;
  }
  return "";
}

test("impersonated gives the sender without such headers, and for an empty user", () => {
  assert.equal(impersonated(alice, { accept: "*/*" }, rbac), alice);
  assert.equal(impersonated(alice, { "impersonate-user": "" }, rbac), alice);
});

test("impersonated gives the user with groups, uid and extra", () => {
  const headers = {
    "impersonate-user": "zed",
    "impersonate-group": ["g1", "g2"],
    "impersonate-uid": "u1",
    "impersonate-extra-scopes": ["a", "b"],
    "impersonate-extra-acme.com%2fproject": "p",
    "impersonate-extra-a%zz": "q",
  };
  assert.deepEqual(impersonated(admin, headers, rbac), {
    name: "zed",
    uid: "u1",
    groups: ["g1", "g2", "system:authenticated"],
    extra: { scopes: ["a", "b"], "acme.com/project": ["p"], "a%zz": ["q"] },
  });
});

test("impersonated gives a service account its groups unless others are named", () => {
  const name = "system:serviceaccount:default:foo";
  const groupsOf = (headers: RequestHeaders): readonly string[] => impersonated(admin, headers, rbac).groups;
  assert.deepEqual(groupsOf({ "impersonate-user": name }), [
    "system:serviceaccounts",
    "system:serviceaccounts:default",
    "system:authenticated",
  ]);
  assert.deepEqual(groupsOf({ "impersonate-user": name, "impersonate-group": "a" }), ["a", "system:authenticated"]);
  assert.deepEqual(groupsOf({ "impersonate-user": "system:serviceaccount:default" }), ["system:authenticated"]);
});

test("impersonated keeps the anonymous user unauthenticated", () => {
  const groupsOf = (headers: RequestHeaders): readonly string[] => impersonated(admin, headers, rbac).groups;
  assert.deepEqual(groupsOf({ "impersonate-user": "system:anonymous" }), ["system:unauthenticated"]);
  const headers = { "impersonate-user": "system:anonymous", "impersonate-group": "system:authenticated" };
  assert.deepEqual(groupsOf(headers), ["system:authenticated", "system:unauthenticated"]);
});

test("impersonated refuses parts without a user, in the words of the real server", () => {
  const headers = { "impersonate-group": ["g", "h"], "impersonate-extra-b": "1", "impersonate-uid": "u" };
  assert.equal(
    refusal(admin, headers),
    "400 requested [{Group  g    } {Group  h    } {UserExtra  1  authentication.k8s.io/v1  b} {UID  u  authentication.k8s.io/v1  }] without impersonating a user",
  );
});

test("impersonated asks the authorizer for each part", () => {
  const made = createRbacStage();
  made.clusterRole("i", [{ apiGroups: [""], resources: ["users"], resourceNames: ["zed"], verbs: ["impersonate"] }]);
  made.bindClusterRole("i", "i", "User alice");
  const as = (headers: RequestHeaders): string => refusal(alice, { "impersonate-user": "zed", ...headers }, made.rbac);
  const scope = "at the cluster scope";
  assert.equal(as({}), "");
  assert.equal(
    as({ "impersonate-group": "g" }),
    `403 groups "g" is forbidden: User "alice" cannot impersonate resource "groups" in API group "" ${scope}`,
  );
  assert.equal(
    as({ "impersonate-uid": "1" }),
    `403 uids.authentication.k8s.io "1" is forbidden: User "alice" cannot impersonate resource "uids" in API group "authentication.k8s.io" ${scope}`,
  );
  assert.equal(
    as({ "impersonate-extra-scopes": "a" }),
    `403 userextras.authentication.k8s.io "a" is forbidden: User "alice" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" ${scope}`,
  );
  assert.equal(
    as({ "impersonate-user": "system:serviceaccount:default:foo" }),
    '403 serviceaccounts "foo" is forbidden: User "alice" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "default"',
  );
});
