import type { StoredObject } from "../registry/api-object.ts";
import type { GroupResource, ObjectReader } from "../registry/object-reader.ts";
import { type PolicyRule, rulesOf } from "./rbac-rule.ts";
import { serviceAccountUserName } from "./service-account-user.ts";
import type { User } from "./user.ts";

export const rbacGroup = "rbac.authorization.k8s.io";

const resource = (name: string): GroupResource => ({ group: rbacGroup, resource: name });
const roles = resource("roles");
const clusterRoles = resource("clusterroles");
const roleBindings = resource("rolebindings");
const clusterRoleBindings = resource("clusterrolebindings");

/** The kinds that RBAC is decided by. */
export const rbacResources: readonly GroupResource[] = [roles, clusterRoles, roleBindings, clusterRoleBindings];

/** Whom a binding gives a role to. */
export interface RbacSubject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

/** A binding, and the first of its subjects that a user is. */
export interface Grant {
  readonly binding: StoredObject;
  readonly roleRef: RoleRef;
  readonly subject: RbacSubject;
}

/** Bindings by whom they are for, and the rules of roles, as they were when it was made. */
export interface RbacIndex {
  /** Of the whole cluster, then of the namespace; by name within each. */
  grantsOf(user: User, namespace: string): readonly Grant[];
  /**
   * Of the role that a binding in this namespace (of the whole cluster: "") refers to; undefined when there is no such
   * role.
   */
  rulesOf(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

interface Placed extends Grant {
  /** Where the binding stands among all of its scope, and where the subject stands in the binding. */
  readonly place: readonly [binding: number, subject: number];
}

type BySubject = ReadonlyMap<string, readonly Placed[]>;

function subjectKey(subject: RbacSubject, namespace: string): string | undefined {
  if (subject.kind === "User") return `user/${subject.name}`;
  if (subject.kind === "Group") return `group/${subject.name}`;
  const home = subject.namespace || namespace;
  return subject.kind === "ServiceAccount" && home !== ""
    ? `user/${serviceAccountUserName({ namespace: home, name: subject.name })}`
    : undefined;
}

function bySubject(bindings: readonly StoredObject[]): BySubject {
  const found = new Map<string, Placed[]>();
  for (const [order, binding] of bindings.entries()) {
    const roleRef = binding.roleRef as RoleRef;
    for (const [index, subject] of ((binding.subjects ?? []) as readonly RbacSubject[]).entries()) {
      const key = subjectKey(subject, binding.metadata.namespace ?? "");
      if (key === undefined) continue;
      const grants = found.get(key) ?? [];
      grants.push({ binding, roleRef, subject, place: [order, index] });
      found.set(key, grants);
    }
  }
  return found;
}

/** One grant a binding, in the order of the bindings. */
function grantsAmong(index: BySubject, { name, groups }: User): readonly Grant[] {
  const keys = [`user/${name}`, ...groups.map((group) => `group/${group}`)];
  const first = new Map<StoredObject, Placed>();
  for (const grant of keys.flatMap((key) => index.get(key) ?? [])) {
    const before = first.get(grant.binding);
    if (before === undefined || grant.place[1] < before.place[1]) first.set(grant.binding, grant);
  }
  return [...first.values()].toSorted((a, b) => a.place[0] - b.place[0]);
}

/** Reads the bindings of the cluster now, and those of a namespace, and roles, when they are first asked for. */
export function createRbacIndex(reader: ObjectReader): RbacIndex {
  const ofCluster = bySubject(reader.list(clusterRoleBindings));
  const ofNamespace = new Map<string, BySubject>();
  const rules = new Map<string, readonly PolicyRule[] | undefined>();

  const inNamespace = (namespace: string): BySubject => {
    const known = ofNamespace.get(namespace) ?? bySubject(reader.list(roleBindings, namespace));
    ofNamespace.set(namespace, known);
    return known;
  };
  return {
    grantsOf: (user, namespace) => [
      ...grantsAmong(ofCluster, user),
      ...(namespace === "" ? [] : grantsAmong(inNamespace(namespace), user)),
    ],
    rulesOf({ kind, name }, namespace) {
      const key = kind === "ClusterRole" ? name : `${namespace}/${name}`;
      if (!rules.has(key)) {
        const role =
          kind === "ClusterRole" ? reader.find(clusterRoles, { name }) : reader.find(roles, { namespace, name });
        rules.set(key, role === undefined ? undefined : rulesOf(role));
      }
      return rules.get(key);
    },
  };
}
