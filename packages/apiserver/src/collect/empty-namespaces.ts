import { formatTime, messageOf } from "farwatch";
import { ApiError } from "../failure/api-error.ts";
import type { StoredObject } from "../registry/api-object.ts";
import type { GroupResource } from "../registry/object-reader.ts";
import { type ClusterAccess, isOf, keyOfStored, type ObservedChange } from "./cluster-access.ts";
import type { Controller, ControllerPorts } from "./controller.ts";
import { createKeyWorker } from "./key-worker.ts";
import { type NamespaceCondition, namespaceConditions, type Remaining } from "./namespace-condition.ts";

const namespaces: GroupResource = { group: "", resource: "namespaces" };
const pods: GroupResource = { group: "", resource: "pods" };
/** Held by spec.finalizers of every namespace, until this controller is done with it. */
const ownFinalizer = "kubernetes";

/**
 * Deletes everything in a namespace that is being deleted, pods first, says in its conditions what is left, and lets it
 * go when nothing is. The real one begins after five seconds and looks again now and then; this one begins at once and
 * looks at each change.
 */
export function emptyNamespaces({ access, clock, onFailure }: ControllerPorts): Controller {
  const terminating = new Set<string>();
  const worker = createKeyWorker({ clock, onFailure, work: (name) => empty(name) });

  const observe = (change: ObservedChange): void => {
    const { type, object } = change;
    const { name, namespace, deletionTimestamp } = object.metadata;
    if (isOf(change, namespaces)) {
      if (type === "DELETED") terminating.delete(name);
      else if (deletionTimestamp !== undefined && finalizersOf(object).includes(ownFinalizer)) {
        terminating.add(name);
        worker.add(name);
      }
    } else if (namespace !== undefined && terminating.has(namespace)) worker.add(namespace);
  };

  const empty = async (name: string): Promise<void> => {
    const namespace = access.find(namespaces, { name });
    if (namespace?.metadata.deletionTimestamp === undefined) return;
    if (!finalizersOf(namespace).includes(ownFinalizer)) return;
    const failures: string[] = [];
    const resources = contentKinds(access);
    await removeAll(pods, name, failures);
    if (access.list(pods, name).length > 0) {
      // While pods remain, the real server's conditions say that nothing does.
      await tell(name, { resources: new Map(), finalizers: new Map(), failures });
    } else {
      for (const resource of resources) await removeAll(resource, name, failures);
      const remaining = remainingIn(access, resources, name, failures);
      await tell(name, remaining);
      if (remaining.resources.size === 0 && failures.length === 0) await release(name);
    }
    if (failures.length > 0) throw new Error(failures.join("; "));
  };

  const removeAll = async (resource: GroupResource, namespace: string, failures: string[]): Promise<void> => {
    for (const object of access.list(resource, namespace)) {
      const { uid, deletionTimestamp } = object.metadata;
      if (deletionTimestamp !== undefined) continue;
      try {
        await access.remove(resource, keyOfStored(object), { uid, propagationPolicy: "Background" });
      } catch (error) {
        // Gone, or another one by now, at which the next round looks.
        if (error instanceof ApiError && (error.code === 404 || error.code === 409)) continue;
        failures.push(messageOf(error));
      }
    }
  };

  const tell = async (name: string, remaining: Remaining): Promise<void> => {
    const namespace = access.find(namespaces, { name });
    if (namespace === undefined) return;
    const status = (namespace.status ?? {}) as { readonly conditions?: readonly NamespaceCondition[] };
    const conditions = namespaceConditions(status.conditions ?? [], remaining, formatTime(clock.now()));
    if (conditions === undefined) return;
    const patch = { status: { phase: "Terminating", conditions: conditions.map((one) => ({ ...one })) } };
    await access.patch(namespaces, { name }, patch, { subresource: "status" });
  };

  const release = async (name: string): Promise<void> => {
    const namespace = access.find(namespaces, { name });
    if (namespace === undefined) return;
    const left = finalizersOf(namespace).filter((one) => one !== ownFinalizer);
    const finalizers = left.length === 0 ? null : left;
    const { resourceVersion } = namespace.metadata;
    await access.patch(
      namespaces,
      { name },
      { metadata: { resourceVersion }, spec: { finalizers } },
      { subresource: "finalize" },
    );
  };

  const readAll = (): void => {
    terminating.clear();
    for (const object of access.list(namespaces))
      observe({ resource: namespaces, type: "ADDED", object, old: undefined });
  };
  readAll();
  const watching = access.watchAll(observe);
  return {
    readAll,
    async [Symbol.asyncDispose](): Promise<void> {
      watching[Symbol.dispose]();
      await worker[Symbol.asyncDispose]();
    },
  };
}

function finalizersOf(namespace: StoredObject): readonly string[] {
  const spec = namespace.spec as { readonly finalizers?: readonly string[] } | undefined;
  return spec?.finalizers ?? [];
}

/** What can be in a namespace, and be deleted. */
function contentKinds(access: ClusterAccess): readonly GroupResource[] {
  return [...access.kinds()]
    .filter(({ namespaced, verbs }) => namespaced && verbs.includes("delete") && verbs.includes("list"))
    .map(({ group, plural }) => ({ group, resource: plural }));
}

function remainingIn(
  access: ClusterAccess,
  kinds: readonly GroupResource[],
  namespace: string,
  failures: readonly string[],
): Remaining {
  const resources = new Map<string, number>();
  const finalizers = new Map<string, number>();
  for (const resource of kinds) {
    for (const { metadata } of access.list(resource, namespace)) {
      count(resources, `${resource.resource}.${resource.group}`);
      for (const finalizer of metadata.finalizers ?? []) count(finalizers, finalizer);
    }
  }
  return { resources, finalizers, failures };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
