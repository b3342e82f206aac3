import { forbidden, notFound } from "../failure/api-error.ts";
import { goQuoted, goQuotedList } from "../failure/go-quoted.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import type { Rbac } from "./rbac.ts";
import { type RoleRef, rbacGroup } from "./rbac-grants.ts";
import type { PolicyRule } from "./rbac-rule.ts";
import { rulesText, uncoveredRules } from "./rule-coverage.ts";
import { mastersGroup } from "./service-account-user.ts";
import type { User } from "./user.ts";

/** A role or binding that is about to be written, after its validation. */
export interface RbacWrite {
  readonly user: User;
  /** `roles`, `clusterroles`, `rolebindings` or `clusterrolebindings`. */
  readonly resource: string;
  /** As in the path: absent for a create. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly object: DraftObject;
  /** Absent for a create. */
  readonly old: StoredObject | undefined;
}

const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/**
 * Refuses a role that gives more than its writer has, unless they may `escalate` it, and a binding to a role of which
 * they have not all, unless they may `bind` it. Other groups' resources pass.
 *
 * @throws ApiError 403, and 404 for a binding to a role that does not exist.
 */
export function checkEscalation(rbac: Rbac, write: RbacWrite): void {
  const { user, old, object, resource } = write;
  if (user.groups.includes(mastersGroup) || (old !== undefined && changesOnlyWhatCollectsIt(object, old))) return;
  if (resource.endsWith("rolebindings")) checkBinding(rbac, write);
  else checkRole(rbac, write);
}

function checkRole(rbac: Rbac, write: RbacWrite): void {
  const { user, resource, name, namespace = "", object, old } = write;
  const verb = { user, verb: "escalate", group: rbacGroup, resource, namespace, name };
  if (rbac.authorize(verb).allowed) return;
  confirmHeld(rbac, write, (object.rules ?? []) as readonly PolicyRule[]);
  const aggregates = object.aggregationRule !== undefined || old?.aggregationRule !== undefined;
  if (aggregates && uncoveredRules(rbac.rulesFor(user, namespace).rules, everything).length > 0) {
    throw forbidden(subjectOf(write), "must have cluster-admin privileges to use the aggregationRule");
  }
}

function checkBinding(rbac: Rbac, write: RbacWrite): void {
  const { user, namespace = "", object } = write;
  const roleRef = object.roleRef as RoleRef;
  const resource = roleRef.kind === "ClusterRole" ? "clusterroles" : "roles";
  if (rbac.authorize({ user, verb: "bind", group: rbacGroup, resource, namespace, name: roleRef.name }).allowed) return;
  const rules = rbac.rulesOf(roleRef, namespace);
  // The real server, too, names the binding's resource and the role's name.
  if (rules === undefined) throw notFound({ group: rbacGroup, resource: write.resource, name: roleRef.name });
  confirmHeld(rbac, write, rules);
}

function confirmHeld(rbac: Rbac, write: RbacWrite, wanted: readonly PolicyRule[]): void {
  const { user, namespace = "" } = write;
  const { rules, missing } = rbac.rulesFor(user, namespace);
  const lacking = uncoveredRules(rules, wanted);
  if (lacking.length === 0) return;
  const who = `user ${goQuoted(user.name)} (groups=${goQuotedList(user.groups)})`;
  const unresolved = missing.map(({ resource, name }) => `${resource}s.${rbacGroup} "${name}" not found`);
  const errors = unresolved.length === 0 ? "" : `; resolution errors: [${unresolved.join(" ")}]`;
  const why = `${who} is attempting to grant RBAC permissions not currently held:\n${rulesText(lacking)}${errors}`;
  throw forbidden(subjectOf(write), why);
}

function subjectOf({ resource, object }: RbacWrite): { group: string; resource: string; name: string } {
  return { group: rbacGroup, resource, name: object.metadata.name ?? "" };
}

/** Whether nothing but finalizers and owners changes: whoever may delete an object must be able to let it go. */
function changesOnlyWhatCollectsIt(object: DraftObject, old: StoredObject): boolean {
  return comparable(object) === comparable(old);
}

function comparable(object: DraftObject | StoredObject): string {
  const { finalizers, ownerReferences, managedFields, ...metadata } = object.metadata;
  return canonical({ ...object, metadata });
}

/** JSON with sorted keys, so that equal values have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
