import type { JsonObject } from "farwatch";
import type { DraftManagedFields, DraftMeta, DraftObject } from "../registry/api-object.ts";
import {
  aggregatedRoles,
  clusterRoleRules,
  clusterRoleSubjects,
  partsOfAggregates,
  systemRoles,
} from "./bootstrap-roles.ts";
import { rbacGroup } from "./rbac-grants.ts";
import type { PolicyRule } from "./rbac-rule.ts";

/** Objects of one kind that a server has from its start. */
export interface BootstrapObjects {
  readonly resource: "clusterroles" | "clusterrolebindings" | "rolebindings" | "roles";
  readonly objects: readonly DraftObject[];
}

const apiVersion = `${rbacGroup}/v1`;
const systemNamespace = "kube-system";

function aggregationLabel(role: string): string {
  return `${rbacGroup}/aggregate-to-${role}`;
}

function ruleOf(line: string): PolicyRule {
  const [verbs = [], second = [], resources, resourceNames] = line.split(" ").map((part) => part.split(","));
  if (resources === undefined) return { verbs, nonResourceURLs: second };
  const apiGroups = second.map((group) => (group === "core" ? "" : group));
  return { verbs, apiGroups, resources, ...(resourceNames !== undefined && { resourceNames }) };
}

function subjectOf(line: string): Readonly<Record<string, string>> {
  const [kind = "", rest = ""] = line.split(" ");
  if (kind !== "ServiceAccount") return { kind, apiGroup: rbacGroup, name: rest };
  const [namespace = "", name = ""] = rest.split("/");
  return { kind, name, namespace };
}

function metaOf(
  name: string,
  { namespace, into }: { readonly namespace?: string; readonly into?: string | undefined } = {},
): DraftMeta {
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    labels: {
      "kubernetes.io/bootstrapping": "rbac-defaults",
      ...(into !== undefined && { [aggregationLabel(into)]: "true" }),
    },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  };
}

function bindingOf(
  kind: string,
  metadata: DraftMeta,
  role: { readonly kind: string; readonly name: string; readonly subjects: readonly string[] },
): DraftObject {
  return {
    apiVersion,
    kind,
    metadata,
    ...(role.subjects.length > 0 && { subjects: role.subjects.map(subjectOf) }),
    roleRef: { apiGroup: rbacGroup, kind: role.kind, name: role.name },
  };
}

/** The entry of managedFields that says that the server itself has written the object. */
function ownedByServer(
  { metadata, aggregationRule, rules, roleRef, subjects }: DraftObject,
  time: string,
): DraftManagedFields {
  const keysOf = (map: Readonly<Record<string, string>> = {}): JsonObject =>
    Object.fromEntries([[".", {}], ...Object.keys(map).map((key) => [`f:${key}`, {}])]);
  return {
    manager: "kube-apiserver",
    operation: "Update",
    apiVersion,
    time,
    fieldsType: "FieldsV1",
    fieldsV1: {
      ...(aggregationRule !== undefined && { "f:aggregationRule": { ".": {}, "f:clusterRoleSelectors": {} } }),
      "f:metadata": { "f:annotations": keysOf(metadata.annotations), "f:labels": keysOf(metadata.labels) },
      ...(roleRef !== undefined && { "f:roleRef": {} }),
      ...(rules !== undefined && { "f:rules": {} }),
      ...(subjects !== undefined && { "f:subjects": {} }),
    },
  };
}

/**
 * The roles and bindings of a new server, made anew by each call and written by the server at this time. `admin`,
 * `edit` and `view` have no rules yet: those come from aggregation.
 */
export function bootstrapPolicy(now: string): readonly BootstrapObjects[] {
  const all = policyObjects();
  for (const { objects } of all) {
    for (const object of objects) object.metadata.managedFields = [ownedByServer(object, now)];
  }
  return all;
}

function policyObjects(): readonly BootstrapObjects[] {
  const clusterRoles = Object.entries(clusterRoleRules).map(
    ([name, rules]): DraftObject => ({
      apiVersion,
      kind: "ClusterRole",
      metadata: metaOf(name, { into: partsOfAggregates[name] }),
      rules: rules.map(ruleOf),
    }),
  );
  const aggregates = Object.entries(aggregatedRoles).map(
    ([name, { from, into }]): DraftObject => ({
      apiVersion,
      kind: "ClusterRole",
      metadata: metaOf(name, { into }),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregationLabel(from)]: "true" } }] },
    }),
  );
  const roles = Object.entries(systemRoles);
  return [
    { resource: "clusterroles", objects: [...clusterRoles, ...aggregates] },
    {
      resource: "clusterrolebindings",
      objects: Object.entries(clusterRoleSubjects).map(([name, subjects]) =>
        bindingOf("ClusterRoleBinding", metaOf(name), { kind: "ClusterRole", name, subjects }),
      ),
    },
    {
      resource: "roles",
      objects: roles.map(
        ([name, { rules }]): DraftObject => ({
          apiVersion,
          kind: "Role",
          metadata: metaOf(name, { namespace: systemNamespace }),
          rules: rules.map(ruleOf),
        }),
      ),
    },
    {
      resource: "rolebindings",
      objects: roles.map(([name, { binding, subjects }]) =>
        bindingOf("RoleBinding", metaOf(binding, { namespace: systemNamespace }), { kind: "Role", name, subjects }),
      ),
    },
  ];
}
