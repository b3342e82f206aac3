import { type BuiltinResource, type ConnectedClient, defineBuiltin, type KubeObject } from "farwatch";

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface ClusterRole extends KubeObject {
  readonly rules: readonly PolicyRule[];
}
const ClusterRole: BuiltinResource<ClusterRole> = defineBuiltin({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRole",
  scope: "Cluster",
});

interface ClusterRoleBinding extends KubeObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects: readonly Subject[];
}
const ClusterRoleBinding: BuiltinResource<ClusterRoleBinding> = defineBuiltin({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRoleBinding",
  scope: "Cluster",
});

export type Subject =
  | { readonly kind: "User"; readonly apiGroup: "rbac.authorization.k8s.io"; readonly name: string }
  | { readonly kind: "ServiceAccount"; readonly namespace: string; readonly name: string };

/** Lets the subject do what the rules say, under this name, until it is disposed of. */
export async function grant(
  client: ConnectedClient,
  name: string,
  subject: Subject,
  rules: readonly PolicyRule[],
): Promise<AsyncDisposable> {
  await client.create(ClusterRole, { metadata: { name }, rules });
  await client.create(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [subject],
  });
  return {
    async [Symbol.asyncDispose](): Promise<void> {
      await client.delete(ClusterRoleBinding, { name });
      await client.delete(ClusterRole, { name });
    },
  };
}
