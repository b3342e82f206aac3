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
  const classes = { group: "scheduling.k8s.io", plural: "priorityclasses" };
  put(core, classes, priorityClassOf("system-cluster-critical", 2_000_000_000));
  put(core, classes, priorityClassOf("system-node-critical", 2_000_001_000));
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

function priorityClassOf(name: string, value: number): DraftObject {
  return {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name, generation: 1 },
    value,
    preemptionPolicy: "PreemptLowerPriority",
  };
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
