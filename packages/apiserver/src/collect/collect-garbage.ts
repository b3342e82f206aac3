import { ApiError } from "../failure/api-error.ts";
import type { DraftOwner, StoredObject } from "../registry/api-object.ts";
import type { GroupResource } from "../registry/object-reader.ts";
import { isOf, keyOfStored, type ObservedChange } from "./cluster-access.ts";
import type { Controller, ControllerPorts } from "./controller.ts";
import { createInvalidOwnerRecorder } from "./invalid-owner-event.ts";
import { createKeyWorker } from "./key-worker.ts";
import { classifyOwners, foregroundFinalizer, isDeletingWith, kindOfOwner, orphanFinalizer } from "./owner-class.ts";
import { createOwnerGraph, parsePlace, placeOf, placeText } from "./owner-graph.ts";

const definitions: GroupResource = { group: "apiextensions.k8s.io", resource: "customresourcedefinitions" };

/**
 * Deletes what no owner holds any more, as the real garbage collector: dependents after their owners (background),
 * before them (foreground: the owner waits for those that block it), or not at all (orphan).
 */
export function collectGarbage({ access, clock, onFailure }: ControllerPorts): Controller {
  const graph = createOwnerGraph();
  const recordInvalidOwner = createInvalidOwnerRecorder(access, clock);
  /** Objects with an owner of a kind that is not served: looked at again when a kind comes. */
  const unresolved = new Set<string>();
  const find = (place: string): StoredObject | undefined => {
    const { resource, namespace, name } = parsePlace(place);
    return access.find(resource, { namespace, name });
  };
  const worker = createKeyWorker({
    clock,
    onFailure,
    work: async (place) => {
      const object = find(place);
      if (object !== undefined) await settle(parsePlace(place).resource, object);
    },
  });

  const addOwners = (object: StoredObject): void => {
    for (const reference of object.metadata.ownerReferences ?? []) {
      const kind = kindOfOwner(access, reference);
      if (kind === undefined) continue;
      const resource = { group: kind.group, resource: kind.plural };
      const namespace = kind.namespaced ? object.metadata.namespace : undefined;
      const owner = access.find(resource, { namespace, name: reference.name });
      if (owner !== undefined && isDeletingWith(owner, foregroundFinalizer)) {
        worker.add(placeText({ resource, namespace, name: reference.name }));
      }
    }
  };
  const observe = (change: ObservedChange): void => {
    const { type, object, old, resource } = change;
    if (isOf(change, definitions)) {
      for (const place of unresolved) worker.add(place);
      unresolved.clear();
    }
    const { metadata } = object;
    const isPlain = metadata.ownerReferences === undefined && old?.metadata.ownerReferences === undefined;
    if (type === "ADDED" && isPlain && metadata.deletionTimestamp === undefined) return;
    const place = placeText(placeOf(resource, object));
    graph.put(place, type === "DELETED" ? undefined : object);
    if (type === "DELETED") {
      unresolved.delete(place);
      for (const dependent of graph.dependentsOf(metadata.uid)) worker.add(dependent);
      addOwners(object);
      return;
    }
    const ownersChanged = metadata.ownerReferences !== old?.metadata.ownerReferences;
    if (ownersChanged && metadata.ownerReferences !== undefined) worker.add(place);
    if (ownersChanged && old !== undefined) addOwners(old);
    if (isDeletingWith(object, orphanFinalizer)) worker.add(place);
    if (isDeletingWith(object, foregroundFinalizer) && !(old && isDeletingWith(old, foregroundFinalizer))) {
      for (const dependent of graph.dependentsOf(metadata.uid)) worker.add(dependent);
      worker.add(place);
    }
  };

  const settle = async (resource: GroupResource, object: StoredObject): Promise<void> => {
    if (object.metadata.deletionTimestamp !== undefined) {
      if (isDeletingWith(object, orphanFinalizer)) await orphanDependents(resource, object);
      else if (isDeletingWith(object, foregroundFinalizer)) await awaitDependents(resource, object);
      return;
    }
    if ((object.metadata.ownerReferences ?? []).length > 0) await removeIfUnowned(resource, object);
  };

  const removeIfUnowned = async (resource: GroupResource, object: StoredObject): Promise<void> => {
    const classes = classifyOwners(access, object);
    if (classes.type === "unknownKind") {
      unresolved.add(placeText(placeOf(resource, object)));
      return;
    }
    if (classes.type === "namespacedOwner") {
      await recordInvalidOwner(object, classes.owner);
      return;
    }
    const { solid, dangling, waiting, elsewhere } = classes;
    for (const owner of elsewhere) await recordInvalidOwner(object, owner);
    if (solid.length > 0) {
      if (dangling.length + waiting.length > 0) await setOwners(resource, object, solid);
      return;
    }
    const { uid, resourceVersion } = object.metadata;
    const hasDependents = graph.dependentsOf(uid).length > 0;
    const remove = (propagationPolicy: "Background" | "Foreground" | "Orphan"): Promise<void> =>
      gone(access.remove(resource, keyOfStored(object), { uid, resourceVersion, propagationPolicy }));
    if (waiting.length > 0 && hasDependents) {
      // Two that own each other would wait for ever.
      if (dependentsOf(uid).some((dependent) => isDeletingWith(dependent, foregroundFinalizer))) {
        const unblocked = (object.metadata.ownerReferences ?? []).map((one) =>
          one.blockOwnerDeletion === true ? { ...one, blockOwnerDeletion: false } : one,
        );
        await setOwners(resource, object, unblocked);
        await gone(access.remove(resource, keyOfStored(object), { uid, propagationPolicy: "Foreground" }));
        return;
      }
      await remove("Foreground");
      return;
    }
    const finalizers = object.metadata.finalizers ?? [];
    if (finalizers.includes(orphanFinalizer)) await remove("Orphan");
    else await remove(finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background");
  };

  const dependentsOf = (uid: string): readonly StoredObject[] =>
    graph.dependentsOf(uid).flatMap((place) => find(place) ?? []);

  const awaitDependents = async (resource: GroupResource, object: StoredObject): Promise<void> => {
    const { uid } = object.metadata;
    const blocking = graph
      .dependentsOf(uid)
      .filter((place) =>
        find(place)?.metadata.ownerReferences?.some((one) => one.uid === uid && one.blockOwnerDeletion === true),
      );
    if (blocking.length === 0) await dropFinalizer(resource, object, foregroundFinalizer);
    for (const place of blocking) worker.add(place);
  };

  const orphanDependents = async (resource: GroupResource, object: StoredObject): Promise<void> => {
    const { uid } = object.metadata;
    for (const place of graph.dependentsOf(uid)) {
      const dependent = find(place);
      if (dependent === undefined) continue;
      const others = (dependent.metadata.ownerReferences ?? []).filter((one) => one.uid !== uid);
      await setOwners(parsePlace(place).resource, dependent, others);
    }
    await dropFinalizer(resource, object, orphanFinalizer);
  };

  const setOwners = (resource: GroupResource, object: StoredObject, owners: readonly DraftOwner[]): Promise<void> => {
    const { uid, resourceVersion } = object.metadata;
    const ownerReferences = owners.length === 0 ? null : owners.map((one) => ({ ...one }));
    return gone(access.patch(resource, keyOfStored(object), { metadata: { uid, resourceVersion, ownerReferences } }));
  };

  const dropFinalizer = (resource: GroupResource, object: StoredObject, finalizer: string): Promise<void> => {
    const { uid, resourceVersion } = object.metadata;
    const left = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    const finalizers = left.length === 0 ? null : left;
    return gone(access.patch(resource, keyOfStored(object), { metadata: { uid, resourceVersion, finalizers } }));
  };

  const readAll = (): void => {
    graph.clear();
    unresolved.clear();
    for (const kind of access.kinds()) {
      const resource = { group: kind.group, resource: kind.plural };
      for (const object of access.list(resource)) observe({ resource, type: "ADDED", object, old: undefined });
    }
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

/** Somebody else may have removed it first, which is just as well. */
async function gone(write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 404)) throw error;
  }
}
