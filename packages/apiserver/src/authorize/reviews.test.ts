import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../failure/api-error.ts";
import type { DraftObject } from "../registry/api-object.ts";
import { createRbacStage } from "./rbac.fixture.ts";
import { createReviews } from "./reviews.ts";
import { createTokenStage, issuer } from "./token.fixture.ts";
import type { User } from "./user.ts";

const stage = createRbacStage();
stage.clusterRole("t1", [
  { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
  { nonResourceURLs: ["/a/*"], verbs: ["get"] },
]);
stage.bindClusterRole("t1", "t1", "User alice");
stage.role("default", "r1", [{ apiGroups: [""], resources: ["configmaps"], resourceNames: ["x"], verbs: ["get"] }]);
stage.bind(["default", "rb1"], "Role r1", "User alice");
stage.bind(["default", "rb2"], "Role missing", "User alice");

const tokenStage = createTokenStage();
const reviews = createReviews({ rbac: stage.rbac, authenticator: tokenStage.authenticator });
const alice: User = { name: "alice", groups: ["system:authenticated"] };

function ask(kind: string, spec: object | undefined, rest: object = {}): DraftObject | Promise<DraftObject> {
  const group =
    kind === "TokenReview" || kind === "SelfSubjectReview" ? "authentication.k8s.io" : "authorization.k8s.io";
  const review = reviews.get(`${group}/${kind.toLowerCase()}s`);
  assert.ok(review);
  const body = { apiVersion: `${group}/v1`, kind, metadata: {}, ...(spec && { spec }), ...rest };
  return review(body, { user: alice, namespace: "default", now: "2030-01-01T00:00:00Z" });
}

async function refusal(kind: string, spec: object | undefined, rest: object = {}): Promise<string> {
  try {
    await ask(kind, spec, rest);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return `${error.code} ${error.message}`;
  }
  return "";
}

const invalid = '422 .authorization.k8s.io "" is invalid:';
const pods = { verb: "get", resource: "pods" };

test("SelfSubjectReview says who asks", async () => {
  assert.deepEqual(await ask("SelfSubjectReview", undefined, { metadata: { name: "x" } }), {
    apiVersion: "authentication.k8s.io/v1",
    kind: "SelfSubjectReview",
    metadata: { creationTimestamp: "2030-01-01T00:00:00Z" },
    status: { userInfo: { username: "alice", groups: ["system:authenticated"] } },
  });
});

test("SelfSubjectAccessReview says whether and why", async () => {
  const spec = { resourceAttributes: pods };
  assert.deepEqual(await ask("SelfSubjectAccessReview", spec), {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    metadata: {},
    spec,
    status: {
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "t1" of ClusterRole "t1" to User "alice"',
    },
  });
  const { status } = await ask("SelfSubjectAccessReview", { nonResourceAttributes: { path: "/b", verb: "get" } });
  assert.deepEqual(status, { allowed: false });
});

test("SelfSubjectAccessReview wants one kind of attributes", async () => {
  const missing = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  assert.equal(
    await refusal("SelfSubjectAccessReview", {}),
    `${invalid} spec.resourceAttributes: Invalid value: null: ${missing}`,
  );
  assert.equal(
    await refusal("SelfSubjectAccessReview", { resourceAttributes: {}, nonResourceAttributes: {} }),
    `${invalid} spec.nonResourceAttributes: Invalid value: {"Path":"","Verb":""}: cannot be specified in combination with resourceAttributes`,
  );
});

test("SelfSubjectAccessReview takes no metadata but a namespace", async () => {
  const spec = { resourceAttributes: pods };
  assert.equal(await refusal("SelfSubjectAccessReview", spec, { metadata: { namespace: "x" } }), "");
  assert.equal(
    await refusal("SelfSubjectAccessReview", spec, { metadata: { name: "x" } }),
    `${invalid} metadata: Invalid value: {"name":"x"}: must be empty`,
  );
});

test("SelfSubjectAccessReview checks the selectors that it is asked about", async () => {
  const at = "spec.resourceAttributes";
  const asked = (attributes: object): Promise<string> =>
    refusal("SelfSubjectAccessReview", { resourceAttributes: { ...pods, ...attributes } });
  const requirements = [{ key: "a", operator: "In", values: ["b"] }];
  assert.equal(await asked({ fieldSelector: { rawSelector: "a=b" }, labelSelector: { requirements } }), "");
  assert.equal(
    await asked({ fieldSelector: { rawSelector: "a=b", requirements } }),
    `${invalid} ${at}.fieldSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`,
  );
  assert.equal(
    await asked({ labelSelector: {} }),
    `${invalid} ${at}.labelSelector.requirements: Required value: when ${at}.labelSelector is specified, requirements or rawSelector is required`,
  );
  assert.equal(
    await asked({
      fieldSelector: { requirements: [{ operator: "In" }, { key: "x", operator: "Exists", values: ["b"] }] },
    }),
    `${invalid} [${at}.fieldSelector.requirements[0].key: Required value: must be specified, ${at}.fieldSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn', ${at}.fieldSelector.requirements[1].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist']`,
  );
});

test("SubjectAccessReview asks about somebody, by name or by groups", async () => {
  assert.equal(
    await refusal("SubjectAccessReview", { resourceAttributes: pods }),
    `${invalid} spec.user: Invalid value: "": at least one of user or group must be specified`,
  );
  const { status } = await ask("SubjectAccessReview", { groups: ["system:masters"], resourceAttributes: pods });
  assert.deepEqual(status, { allowed: true });
});

test("LocalSubjectAccessReview asks about its own namespace alone", async () => {
  const asked = (attributes: object): Promise<string> =>
    refusal("LocalSubjectAccessReview", { user: "alice", ...attributes });
  assert.equal(await asked({ resourceAttributes: { ...pods, namespace: "default" } }), "");
  assert.equal(
    await asked({ resourceAttributes: pods }),
    `${invalid} spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace`,
  );
  assert.equal(
    await asked({ nonResourceAttributes: { verb: "get", path: "/" } }),
    `${invalid} spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: disallowed on this kind of request`,
  );
  const { metadata } = await ask("LocalSubjectAccessReview", {
    user: "a",
    resourceAttributes: { namespace: "default" },
  });
  assert.deepEqual(metadata, { namespace: "default" });
});

test("SelfSubjectRulesReview lists all rules, and the roles that are missing", async () => {
  assert.deepEqual(await ask("SelfSubjectRulesReview", { namespace: "default" }), {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectRulesReview",
    metadata: {},
    spec: {},
    status: {
      resourceRules: [
        { verbs: ["get"], apiGroups: [""], resources: ["pods"] },
        { verbs: ["get"], apiGroups: [""], resources: ["configmaps"], resourceNames: ["x"] },
      ],
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/a/*"] }],
      incomplete: false,
      evaluationError: 'role.rbac.authorization.k8s.io "missing" not found',
    },
  });
  assert.equal(await refusal("SelfSubjectRulesReview", {}), "400 no namespace on request");
});

test("TokenReview says whose a token is", async () => {
  const token = await tokenStage.token();
  const { status } = await ask("TokenReview", { token });
  assert.deepEqual(status, {
    authenticated: true,
    user: {
      username: "system:serviceaccount:default:sa1",
      uid: "uid of default/sa1",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": ["JTI=id-1"] },
    },
    audiences: [issuer],
  });
});

test("TokenReview says why a token is none", async () => {
  const forOthers = await tokenStage.token({ audiences: ["a"] });
  const error = async (spec: object): Promise<unknown> => (await ask("TokenReview", spec)).status;
  assert.deepEqual(await error({ token: "bad" }), { user: {}, error: "invalid bearer token" });
  assert.deepEqual(await error({ token: "alice-token", audiences: ["x"] }), {
    user: {},
    error: "invalid bearer token",
  });
  assert.deepEqual(await error({ token: forOthers }), {
    user: {},
    error: `[invalid bearer token, token audiences ["a"] is invalid for the target audiences ["${issuer}"]]`,
  });
  assert.equal(await refusal("TokenReview", {}), "400 token is required for TokenReview in authentication");
});

test("TokenReview keeps what the body says in its status where the answer says nothing", async () => {
  const { status, metadata } = await ask(
    "TokenReview",
    { token: "alice-token" },
    { metadata: { name: "x" }, status: { authenticated: false, error: "x" } },
  );
  assert.deepEqual(metadata, { name: "x" });
  assert.deepEqual(status, {
    authenticated: true,
    user: { username: "alice", uid: "alice", groups: ["system:authenticated"] },
    audiences: [issuer],
    error: "x",
  });
});
