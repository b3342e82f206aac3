import { formatTime } from "farwatch";
import { bootstrapPolicy } from "../authorize/bootstrap-policy.ts";
import type { DraftObject } from "../registry/api-object.ts";
import { objectKey } from "../store/collection.ts";
import { resourceId } from "../store/store.ts";
import type { ServerCore } from "../verb/server-core.ts";

const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Creates what every server has from its start, where it is not there: namespaces, roles, priority classes. */
export function bootstrap(core: ServerCore): void {
  const rbac = "rbac.authorization.k8s.io";
  for (const name of namespaces) put(core, { group: "", plural: "namespaces" }, namespaceOf(name));
  for (const { resource, objects } of bootstrapPolicy(formatTime(core.clock.now()))) {
    for (const object of objects) put(core, { group: rbac, plural: resource }, object);
  }
}

function put(core: ServerCore, kind: { readonly group: string; readonly plural: string }, object: DraftObject): void {
  const { metadata } = object;
  const { name = "", namespace } = metadata;
  const resource = resourceId(kind);
  const key = objectKey({ namespace, name });
  if (core.store.get(resource, key) !== undefined) return;
  metadata.uid = core.uuid();
  metadata.creationTimestamp = formatTime(core.clock.now());
  core.store.create(resource, key, object);
}

function namespaceOf(name: string): DraftObject {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  };
}
