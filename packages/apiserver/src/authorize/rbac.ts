import { aggregatedText } from "../failure/aggregated-text.ts";
import type { ObjectReader } from "../registry/object-reader.ts";
import { resourceId, type Store } from "../store/store.ts";
import { createRbacIndex, type Grant, type RbacIndex, type RoleRef, rbacGroup, rbacResources } from "./rbac-grants.ts";
import { type PolicyRule, ruleAllows } from "./rbac-rule.ts";
import { mastersGroup } from "./service-account-user.ts";
import type { Authorizer, Decision, User } from "./user.ts";

/** Every rule that holds for a user in a namespace, and the roles that are bound but missing. */
export interface EffectiveRules {
  readonly rules: readonly PolicyRule[];
  /** `clusterrole.rbac.authorization.k8s.io "x" not found` */
  readonly missing: readonly MissingRole[];
}

/** A role that a binding names and that is not there. */
export interface MissingRole {
  readonly resource: "clusterrole" | "role";
  readonly name: string;
}

/** Decides by Roles, ClusterRoles and their bindings; members of `system:masters` may do everything. */
export interface Rbac extends Authorizer {
  /** Those of the whole cluster, and of the namespace unless it is "". */
  rulesFor(user: User, namespace: string): EffectiveRules;
  /** Of the role that a binding in this namespace refers to; undefined when there is no such role. */
  rulesOf(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

export interface RbacOptions {
  readonly reader: ObjectReader;
  /**
   * Another value after each change of one of `rbacResources`: bindings and roles are read anew then, and only then.
   */
  readonly revision: () => unknown;
}

/** A revision that follows the roles and bindings of a store, for as long as the store lives. */
export function rbacRevision(store: Store): () => string {
  let changes = 0;
  for (const { group, resource } of rbacResources) {
    store.watch(resourceId({ group, plural: resource }), store.version, () => {
      changes += 1;
    });
  }
  return () => `${store.epoch}.${changes}`;
}

function missingText({ resource, name }: MissingRole): string {
  return `${resource}.${rbacGroup} "${name}" not found`;
}

function grantText({ binding, roleRef, subject }: Grant): string {
  const { name, namespace } = binding.metadata;
  const kind = namespace === undefined ? "ClusterRoleBinding" : "RoleBinding";
  const bindingName = namespace === undefined ? name : `${name}/${namespace}`;
  const subjectName =
    subject.kind === "ServiceAccount" ? `${subject.name}/${subject.namespace || namespace}` : subject.name;
  return `${kind} "${bindingName}" of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${subjectName}"`;
}

export function createRbac({ reader, revision }: RbacOptions): Rbac {
  let madeAt: unknown;
  let made: RbacIndex | undefined;
  const index = (): RbacIndex => {
    const now = revision();
    if (made === undefined || madeAt !== now) made = createRbacIndex(reader);
    madeAt = now;
    return made;
  };
  const missingRole = ({ kind, name }: RoleRef): MissingRole => ({
    resource: kind === "ClusterRole" ? "clusterrole" : "role",
    name,
  });

  return {
    authorize(request): Decision {
      if (request.user.groups.includes(mastersGroup)) return { allowed: true, reason: "" };
      const missing: MissingRole[] = [];
      const namespace = request.path === undefined ? (request.namespace ?? "") : "";
      for (const grant of index().grantsOf(request.user, namespace)) {
        const rules = index().rulesOf(grant.roleRef, grant.binding.metadata.namespace ?? "");
        if (rules === undefined) missing.push(missingRole(grant.roleRef));
        else if (rules.some((rule) => ruleAllows(rule, request))) {
          return { allowed: true, reason: `RBAC: allowed by ${grantText(grant)}` };
        }
      }
      const reason = missing.length === 0 ? "" : `RBAC: ${aggregatedText(missing.map(missingText))}`;
      return { allowed: false, reason };
    },
    rulesFor(user, namespace): EffectiveRules {
      const rules: PolicyRule[] = [];
      const missing: MissingRole[] = [];
      for (const grant of index().grantsOf(user, namespace)) {
        const granted = index().rulesOf(grant.roleRef, grant.binding.metadata.namespace ?? "");
        if (granted === undefined) missing.push(missingRole(grant.roleRef));
        else rules.push(...granted);
      }
      return { rules, missing };
    },
    rulesOf: (roleRef, namespace) => index().rulesOf(roleRef, namespace),
  };
}

/** What a rules review says of missing roles; undefined when none is. */
export function missingRolesText(missing: readonly MissingRole[]): string | undefined {
  return missing.length === 0 ? undefined : aggregatedText(missing.map(missingText));
}
