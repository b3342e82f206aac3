import { actingAs } from "../acting-as.ts";
import { type Area, defineArea } from "../area.ts";
import type { Conversation } from "../conversation.ts";

const api = "/apis/rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";
const trimmed = ["metadata.managedFields"];

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

const pods: Rule = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };

/** A user of the case, with a Role or ClusterRole of these rules, whose effect has been awaited. */
async function userWith(
  { quietly, until, namespace, cleanup }: Conversation,
  rules: readonly Rule[],
  scope: "cluster" | "namespace" = "namespace",
): Promise<Readonly<Record<string, string>>> {
  const user = `${namespace}-user`;
  const headers = actingAs(user);
  const place = scope === "cluster" ? `${api}/clusterrole` : `${api}/namespaces/${namespace}/role`;
  const kind = scope === "cluster" ? "ClusterRole" : "Role";
  const name = `${namespace}-role`;
  // Whoever can see this ConfigMap's place can do the rest as well: bindings take effect a moment after they are written.
  const witness: Rule = { apiGroups: [""], resources: ["configmaps"], resourceNames: ["witness"], verbs: ["get"] };
  await quietly("POST", `${place}s`, { body: { metadata: { name }, rules: [...rules, witness] } });
  await quietly("POST", `${place}bindings`, {
    body: { metadata: { name }, roleRef: { apiGroup, kind, name }, subjects: [{ kind: "User", apiGroup, name: user }] },
  });
  if (scope === "cluster") {
    cleanup(() => quietly("DELETE", `${place}s/${name}`));
    cleanup(() => quietly("DELETE", `${place}bindings/${name}`));
  }
  await until(`/api/v1/namespaces/${namespace}/configmaps/witness`, ({ status }) => status === 404, { headers });
  return headers;
}

/** Asks whether the user may do something; records the answer. */
async function mayI(
  { send }: Conversation,
  headers: Readonly<Record<string, string>>,
  attributes: { readonly path?: string; readonly verb: string } & Readonly<Record<string, string>>,
): Promise<void> {
  const spec =
    attributes.path === undefined ? { resourceAttributes: attributes } : { nonResourceAttributes: attributes };
  await send("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
    headers,
    body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec },
    only: ["status"],
  });
}

const bootstrapClusterRoles = [
  "cluster-admin",
  "system:aggregate-to-admin",
  "system:aggregate-to-edit",
  "system:aggregate-to-view",
  "system:auth-delegator",
  "system:basic-user",
  "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
  "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
  "system:certificates.k8s.io:kube-apiserver-client-approver",
  "system:certificates.k8s.io:kube-apiserver-client-kubelet-approver",
  "system:certificates.k8s.io:kubelet-serving-approver",
  "system:certificates.k8s.io:legacy-unknown-approver",
  "system:discovery",
  "system:heapster",
  "system:kube-aggregator",
  "system:kube-controller-manager",
  "system:kube-dns",
  "system:kube-scheduler",
  "system:kubelet-api-admin",
  "system:monitoring",
  "system:node",
  "system:node-bootstrapper",
  "system:node-problem-detector",
  "system:node-proxier",
  "system:persistent-volume-provisioner",
  "system:public-info-viewer",
  "system:service-account-issuer-discovery",
  "system:volume-scheduler",
];

const bootstrapClusterRoleBindings = [
  "cluster-admin",
  "system:basic-user",
  "system:discovery",
  "system:kube-controller-manager",
  "system:kube-dns",
  "system:kube-scheduler",
  "system:monitoring",
  "system:node",
  "system:node-proxier",
  "system:public-info-viewer",
  "system:service-account-issuer-discovery",
  "system:volume-scheduler",
];

export const area: Area = defineArea("rbac", { controllers: true }, (check) => {
  check("a refusal names verb, resource, group and place", async ({ send, namespace }) => {
    const headers = actingAs(`${namespace}-user`);
    const core = `/api/v1/namespaces/${namespace}`;
    await send("GET", `${core}/pods`, { headers });
    await send("GET", "/api/v1/pods", { headers });
    await send("GET", "/api/v1/pods", { headers, query: { watch: 1 } });
    await send("GET", `${core}/pods/x/log`, { headers });
    await send("GET", `/apis/apps/v1/namespaces/${namespace}/deployments/x`, { headers });
    await send("PUT", `/apis/apps/v1/namespaces/${namespace}/deployments/x/status`, { headers, body: {} });
    await send("PATCH", `/apis/apps/v1/namespaces/${namespace}/deployments/x/scale`, { headers, body: {} });
    await send("POST", `${core}/configmaps`, { headers, body: { metadata: { name: "x" } } });
    await send("DELETE", `${core}/configmaps`, { headers });
    await send("DELETE", `${core}/configmaps/x`, { headers });
  });

  check("a refusal about a namespace is one inside it", async ({ send, namespace }) => {
    const headers = actingAs(`${namespace}-user`);
    await send("GET", `/api/v1/namespaces/${namespace}`, { headers });
    await send("DELETE", `/api/v1/namespaces/${namespace}`, { headers });
    await send("PUT", `/api/v1/namespaces/${namespace}/status`, { headers, body: {} });
    await send("PUT", `/api/v1/namespaces/${namespace}/finalize`, { headers, body: {} });
    await send("GET", "/api/v1/namespaces", { headers });
  });

  check("a refusal comes before anybody looks whether there is such a resource", async ({ send, namespace }) => {
    const headers = actingAs(`${namespace}-user`);
    await send("GET", "/apis/foo.example.com/v1/things/x", { headers });
    await send("GET", `/apis/foo.example.com/v1/namespaces/${namespace}/things`, { headers });
    await send("GET", `/api/v1/namespaces/${namespace}/nosuchthings`, { headers });
  });

  check("a list by the field metadata.name is about that object", async (conversation) => {
    const { send, namespace } = conversation;
    const headers = actingAs(`${namespace}-nobody`);
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await send("GET", path, { headers, query: { fieldSelector: "metadata.name=x" } });
    const named = { ...pods, resourceNames: ["x"] };
    const user = await userWith(conversation, [named]);
    await send("GET", path, { headers: user, query: { fieldSelector: "metadata.name=x" }, only: ["kind"] });
    await send("GET", path, { headers: user });
  });

  check("a role holds in its namespace alone", async (conversation) => {
    const { send, namespace } = conversation;
    const headers = await userWith(conversation, [pods]);
    await send("GET", `/api/v1/namespaces/${namespace}/pods`, { headers, only: ["kind"] });
    await send("GET", `/api/v1/namespaces/${namespace}/pods/x`, { headers });
    await send("GET", "/api/v1/namespaces/default/pods", { headers });
    await send("GET", "/api/v1/pods", { headers });
    await send("DELETE", `/api/v1/namespaces/${namespace}/pods/x`, { headers });
  });

  check("a review names the binding that allows", async (conversation) => {
    const { namespace } = conversation;
    const headers = await userWith(conversation, [pods]);
    await mayI(conversation, headers, { verb: "get", resource: "pods", namespace });
    await mayI(conversation, headers, { verb: "get", resource: "pods" });
    await mayI(conversation, headers, { verb: "get", resource: "pods", subresource: "log", namespace });
  });

  check("rules match subresources, names and every one of them by a star", async (conversation) => {
    const headers = await userWith(
      conversation,
      [
        { apiGroups: [""], resources: ["pods/log", "*/scale"], verbs: ["get"] },
        { apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["x"], verbs: ["*"] },
        { apiGroups: ["*"], resources: ["leases"], verbs: ["watch"] },
        { apiGroups: ["batch"], resources: ["*"], verbs: ["watch"] },
      ],
      "cluster",
    );
    await mayI(conversation, headers, { verb: "get", resource: "pods" });
    await mayI(conversation, headers, { verb: "get", resource: "pods", subresource: "log" });
    await mayI(conversation, headers, { verb: "get", resource: "x", subresource: "scale" });
    await mayI(conversation, headers, { verb: "get", resource: "x", subresource: "scale", group: "apps" });
    await mayI(conversation, headers, { verb: "delete", group: "apps", resource: "deployments", name: "x" });
    await mayI(conversation, headers, { verb: "delete", group: "apps", resource: "deployments", name: "y" });
    await mayI(conversation, headers, { verb: "list", group: "apps", resource: "deployments" });
    await mayI(conversation, headers, { verb: "*", group: "apps", resource: "deployments", name: "x" });
    await mayI(conversation, headers, { verb: "watch", group: "any.example.com", resource: "leases" });
    await mayI(conversation, headers, { verb: "watch", group: "batch", resource: "jobs", subresource: "status" });
  });

  check("rules match paths by a star at their end", async (conversation) => {
    const rule = { nonResourceURLs: ["/a/*", "/b"], verbs: ["get"] };
    const headers = await userWith(conversation, [rule], "cluster");
    for (const path of ["/a/x", "/a/", "/a", "/b", "/b/"]) await mayI(conversation, headers, { verb: "get", path });
    await mayI(conversation, headers, { verb: "post", path: "/b" });
    await conversation.send("GET", "/a/x", { headers });
    await conversation.send("GET", "/c", { headers });
  });

  check("a binding without its role is told of", async (conversation) => {
    const { send, quietly, until, namespace } = conversation;
    const headers = actingAs(`${namespace}-user`);
    const path = `${api}/namespaces/${namespace}/rolebindings`;
    const subjects = [{ kind: "User", apiGroup, name: `${namespace}-user` }];
    await quietly("POST", path, {
      body: { metadata: { name: "a" }, roleRef: { apiGroup, kind: "Role", name: "missing" }, subjects },
    });
    const pathOfPods = `/api/v1/namespaces/${namespace}/pods`;
    await until(pathOfPods, ({ body }) => body.message.includes("RBAC"), { headers });
    await quietly("POST", path, {
      body: { metadata: { name: "b" }, roleRef: { apiGroup, kind: "Role", name: "missing" }, subjects },
    });
    await mayI(conversation, headers, { verb: "get", resource: "pods", namespace });
    await send("GET", "/api/v1/pods", { headers });
  });

  check("a service account and a group are subjects", async (conversation) => {
    const { quietly, until, namespace } = conversation;
    await quietly("POST", `${api}/namespaces/${namespace}/roles`, { body: { metadata: { name: "r" }, rules: [pods] } });
    const roleRef = { apiGroup, kind: "Role", name: "r" };
    await quietly("POST", `${api}/namespaces/${namespace}/rolebindings`, {
      body: { metadata: { name: "a" }, roleRef, subjects: [{ kind: "ServiceAccount", name: "robot", namespace }] },
    });
    await quietly("POST", `${api}/namespaces/${namespace}/rolebindings`, {
      body: { metadata: { name: "b" }, roleRef, subjects: [{ kind: "Group", apiGroup, name: `${namespace}-devs` }] },
    });
    const robot = actingAs(`system:serviceaccount:${namespace}:robot`);
    const member = actingAs(`${namespace}-user`, `${namespace}-devs`);
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await until(path, ({ status }) => status === 200, { headers: robot, only: ["kind"] });
    await until(path, ({ status }) => status === 200, { headers: member, only: ["kind"] });
    await mayI(conversation, robot, { verb: "get", resource: "pods", namespace });
    await mayI(conversation, member, { verb: "get", resource: "pods", namespace });
    await mayI(conversation, actingAs(`system:serviceaccount:${namespace}:other`), {
      verb: "get",
      resource: "pods",
      namespace,
    });
  });

  check("a right to impersonate is one for each user and group", async (conversation) => {
    const { send, namespace } = conversation;
    const impersonate = { apiGroups: [""], resources: ["users"], resourceNames: ["zed"], verbs: ["impersonate"] };
    const headers = await userWith(conversation, [impersonate], "cluster");
    await mayI(conversation, headers, { verb: "impersonate", resource: "users", name: "zed" });
    await mayI(conversation, headers, { verb: "impersonate", resource: "groups", name: "g" });
    await send("GET", `/api/v1/namespaces/${namespace}/pods`, { headers });
  });

  check("a role cannot give what its writer has not", async (conversation) => {
    const { send, namespace } = conversation;
    const roles = { apiGroups: [apiGroup], resources: ["roles"], verbs: ["create"] };
    const headers = await userWith(conversation, [pods, roles]);
    const write = (name: string, rules: readonly Rule[]): Promise<unknown> =>
      send("POST", `${api}/namespaces/${namespace}/roles`, {
        headers,
        body: { metadata: { name }, rules },
        omit: trimmed,
      });
    await write("owned", [{ apiGroups: [""], resources: ["pods"], resourceNames: ["x"], verbs: ["get"] }]);
    await write("more-verbs", [{ apiGroups: [""], resources: ["pods", "secrets"], verbs: ["get", "delete"] }]);
    await write("more-names", [
      { apiGroups: ["", "apps"], resources: ["deployments"], resourceNames: ["a", "b"], verbs: ["get", "list"] },
    ]);
    await write("all", [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]);
    await write("none", []);
  });

  check("a role may be given by whoever may escalate it", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const path = `${api}/namespaces/${namespace}/roles`;
    await quietly("POST", path, { body: { metadata: { name: "target" }, rules: [] } });
    const headers = await userWith(conversation, [
      { apiGroups: [apiGroup], resources: ["roles"], verbs: ["create", "patch"] },
      { apiGroups: [apiGroup], resources: ["roles"], resourceNames: ["target"], verbs: ["escalate"] },
    ]);
    const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
    await send("PATCH", `${path}/target`, { headers, body: { rules }, omit: trimmed });
    await send("POST", path, { headers, body: { metadata: { name: "other" }, rules } });
  });

  check("a role's finalizers may be changed by whoever may patch it, its labels not", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const path = `${api}/namespaces/${namespace}/roles`;
    const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
    await quietly("POST", path, { body: { metadata: { name: "target" }, rules } });
    const headers = await userWith(conversation, [{ apiGroups: [apiGroup], resources: ["roles"], verbs: ["patch"] }]);
    await send("PATCH", `${path}/target`, {
      headers,
      body: { metadata: { finalizers: ["a.example/b"] } },
      omit: trimmed,
    });
    await send("PATCH", `${path}/target`, { headers, body: { metadata: { labels: { a: "b" } } } });
    await send("PATCH", `${path}/target`, { headers, body: { metadata: { finalizers: null } }, omit: trimmed });
  });

  check("an aggregation rule needs every right", async (conversation) => {
    const { send, namespace } = conversation;
    const rule = { apiGroups: [apiGroup], resources: ["clusterroles"], verbs: ["create"] };
    const headers = await userWith(conversation, [rule], "cluster");
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [namespace]: "true" } }] };
    await send("POST", `${api}/clusterroles`, {
      headers,
      body: { metadata: { name: `${namespace}-sum` }, aggregationRule, rules: null },
    });
  });

  check("a binding cannot give what its writer has not, unless they may bind that role", async (conversation) => {
    const { send, quietly, namespace } = conversation;
    const place = `${api}/namespaces/${namespace}`;
    const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] }];
    await quietly("POST", `${place}/roles`, { body: { metadata: { name: "secrets" }, rules } });
    await quietly("POST", `${place}/roles`, { body: { metadata: { name: "bindable" }, rules } });
    const headers = await userWith(conversation, [
      { apiGroups: [apiGroup], resources: ["rolebindings"], verbs: ["create"] },
      { apiGroups: [apiGroup], resources: ["roles"], resourceNames: ["bindable"], verbs: ["bind"] },
    ]);
    const bind = (name: string, kind: string): Promise<unknown> =>
      send("POST", `${place}/rolebindings`, {
        headers,
        body: { metadata: { name: `to-${name}` }, roleRef: { apiGroup, kind, name } },
        omit: trimmed,
      });
    await bind("bindable", "Role");
    await bind("secrets", "Role");
    await bind("missing", "Role");
    await bind("cluster-admin", "ClusterRole");
    await bind("no-such-cluster-role", "ClusterRole");
  });

  check("a binding of the administrator may wait for its role", async ({ send, namespace }) => {
    await send("POST", `${api}/namespaces/${namespace}/rolebindings`, {
      body: { metadata: { name: "early" }, roleRef: { apiGroup, kind: "Role", name: "late" } },
      omit: trimmed,
    });
  });

  check("an aggregated role has the rules of those that it selects", async (conversation) => {
    const { quietly, until, cleanup, namespace } = conversation;
    const labels = { [`${namespace}.example.com/sum`]: "true" };
    const names = ["a", "b", "sum"].map((name) => `${namespace}-${name}`);
    const [a = "", b = "", sum = ""] = names;
    for (const name of names) cleanup(() => quietly("DELETE", `${api}/clusterroles/${name}`));
    const secrets = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };
    await quietly("POST", `${api}/clusterroles`, { body: { metadata: { name: b, labels }, rules: [secrets, pods] } });
    await quietly("POST", `${api}/clusterroles`, { body: { metadata: { name: a, labels }, rules: [pods] } });
    await quietly("POST", `${api}/clusterroles`, {
      body: {
        metadata: { name: sum },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
        rules: null,
      },
    });
    await until(`${api}/clusterroles/${sum}`, ({ body }) => body.rules?.length === 2);
    await quietly("DELETE", `${api}/clusterroles/${b}`);
    await until(`${api}/clusterroles/${sum}`, ({ body }) => body.rules?.length === 1);
  });

  check("the roles that users are given are aggregated", async ({ until }) => {
    for (const name of ["admin", "edit", "view"]) {
      await until(`${api}/clusterroles/${name}`, ({ body }) => body.rules?.length > 0);
    }
  });

  check("a new server has its ClusterRoles", async ({ send }) => {
    for (const name of bootstrapClusterRoles) await send("GET", `${api}/clusterroles/${name}`);
  });

  check("a new server has its ClusterRoleBindings", async ({ send }) => {
    for (const name of bootstrapClusterRoleBindings) {
      await send("GET", `${api}/clusterrolebindings/${name}`);
    }
  });

  check("a new server has its Roles and RoleBindings", async ({ send }) => {
    const place = `${api}/namespaces/kube-system`;
    for (const name of ["extension-apiserver-authentication-reader", "system::leader-locking-kube-scheduler"]) {
      await send("GET", `${place}/roles/${name}`);
    }
    for (const name of ["system::extension-apiserver-authentication-reader", "system::leader-locking-kube-scheduler"]) {
      await send("GET", `${place}/rolebindings/${name}`);
    }
  });
});
