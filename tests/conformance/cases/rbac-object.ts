import { type Area, defineArea } from "../area.ts";

const omit = ["metadata.managedFields"];
const query = { dryRun: "All" };
const group = "rbac.authorization.k8s.io";
const rbac = `/apis/${group}/v1`;

export const area: Area = defineArea("rbac-object", (check) => {
  check("rules of a role name what they allow", async ({ send, namespace }) => {
    const rules = [
      {},
      { verbs: ["get"] },
      { verbs: [], apiGroups: [""], resources: ["pods"] },
      { verbs: ["get"], apiGroups: [], resources: ["pods"] },
      { verbs: ["get"], nonResourceURLs: ["/healthz"] },
      { verbs: ["get"], apiGroups: [""], resources: [], resourceNames: ["x"] },
    ];
    await send("POST", `${rbac}/namespaces/${namespace}/roles`, { body: { metadata: { name: "r" }, rules } });
  });

  check("rules of a cluster role may be about paths", async ({ send, namespace }) => {
    const mixed = { verbs: ["get"], apiGroups: [""], resources: ["pods"], nonResourceURLs: ["/healthz"] };
    for (const rules of [[mixed], [{ verbs: ["get"], nonResourceURLs: ["/a/*b", "x", "*"] }], []]) {
      await send("POST", `${rbac}/clusterroles`, { body: { metadata: { name: namespace }, rules }, query, omit });
    }
  });

  check("a role may have no rules", async ({ send, namespace }) => {
    await send("POST", `${rbac}/namespaces/${namespace}/roles`, { body: { metadata: { name: "r" } }, query, omit });
  });

  check("a cluster role is gathered by selectors", async ({ send, namespace }) => {
    const clusterRoleSelectors = [{ matchExpressions: [{ key: "a", operator: "X" }] }, {}];
    const body = { metadata: { name: namespace }, aggregationRule: { clusterRoleSelectors } };
    await send("POST", `${rbac}/clusterroles`, { body, query, omit });
    const empty = { metadata: { name: namespace }, aggregationRule: {} };
    await send("POST", `${rbac}/clusterroles`, { body: empty, query, omit });
  });

  check("a binding names one role and known subjects", async ({ send, namespace }) => {
    const path = `${rbac}/namespaces/${namespace}/rolebindings`;
    const roleRef = { apiGroup: group, kind: "Role", name: "r" };
    const subjects = [
      { kind: "User", name: "" },
      { kind: "ServiceAccount", name: "A", apiGroup: "x" },
      { kind: "ServiceAccount", name: "s" },
      { kind: "Group", name: "g", apiGroup: "x" },
      { kind: "X", name: "x" },
    ];
    for (const rest of [
      {},
      { roleRef: { apiGroup: "x", kind: "X", name: "" } },
      { roleRef: { ...roleRef, name: "a/b" } },
      { roleRef, subjects },
      { roleRef, subjects: [{ kind: "User", name: "u" }] },
    ]) {
      await send("POST", path, { body: { metadata: { name: "b" }, ...rest }, query, omit });
    }
  });

  check("a binding of the cluster names cluster roles alone", async ({ send, namespace }) => {
    const path = `${rbac}/clusterrolebindings`;
    for (const kind of ["Role", "ClusterRole"]) {
      const subjects = [{ kind: "ServiceAccount", name: "s" }];
      const body = { metadata: { name: namespace }, roleRef: { apiGroup: group, kind, name: "r" }, subjects };
      await send("POST", path, { body, query, omit });
    }
  });

  check("the role of a binding stays", async ({ send, quietly, namespace }) => {
    const path = `${rbac}/namespaces/${namespace}/rolebindings`;
    const roleRef = { apiGroup: group, kind: "ClusterRole", name: "view" };
    await quietly("POST", path, { body: { metadata: { name: "b" }, roleRef } });
    await send("PATCH", `${path}/b`, { body: { roleRef: { name: "edit" } } });
    await send("PATCH", `${path}/b`, { body: { subjects: [{ kind: "User", name: "u" }] }, omit });
  });
});
