import { createMemoryReader, type MemoryReader } from "./memory-reader.fixture.ts";
import { createRbac, type Rbac } from "./rbac.ts";
import { rbacGroup } from "./rbac-grants.ts";
import type { PolicyRule } from "./rbac-rule.ts";

export interface RbacStage {
  readonly rbac: Rbac;
  readonly reader: MemoryReader;
  clusterRole(name: string, rules: readonly PolicyRule[]): void;
  role(namespace: string, name: string, rules: readonly PolicyRule[]): void;
  /** A subject is `User x`, `Group x` or `ServiceAccount x`, this last with `/NAMESPACE` behind it where it has one. */
  bindClusterRole(name: string, role: string, ...subjects: readonly string[]): void;
  bind(place: readonly [namespace: string, name: string], role: string, ...subjects: readonly string[]): void;
}

function subject(text: string): object {
  const [kind = "", rest = ""] = text.split(" ");
  const [name, namespace] = kind === "ServiceAccount" ? rest.split("/") : [rest];
  return { kind, name, ...(namespace !== undefined && { namespace }) };
}

function roleRef(role: string): object {
  const [kind, name] = role.split(" ");
  return { apiGroup: rbacGroup, kind, name };
}

/** RBAC over roles and bindings of a test's own; a role is `ClusterRole x` or `Role x`. */
export function createRbacStage(): RbacStage {
  const reader = createMemoryReader();
  const put = (resource: string, metadata: object, rest: object): void => {
    reader.put({ group: rbacGroup, resource }, { metadata, ...rest });
  };
  return {
    reader,
    rbac: createRbac({ reader, revision: () => reader.revision }),
    clusterRole: (name, rules) => put("clusterroles", { name }, { rules }),
    role: (namespace, name, rules) => put("roles", { namespace, name }, { rules }),
    bindClusterRole: (name, role, ...subjects) =>
      put(
        "clusterrolebindings",
        { name },
        { roleRef: roleRef(`ClusterRole ${role}`), subjects: subjects.map(subject) },
      ),
    bind: ([namespace, name], role, ...subjects) =>
      put("rolebindings", { namespace, name }, { roleRef: roleRef(role), subjects: subjects.map(subject) }),
  };
}
