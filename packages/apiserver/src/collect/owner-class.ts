import type { DraftOwner, StoredObject } from "../registry/api-object.ts";
import type { Kind } from "../registry/kind.ts";
import type { ClusterAccess } from "./cluster-access.ts";

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

/** Whether an object's deletion waits for this finalizer. */
export function isDeletingWith({ metadata }: StoredObject, finalizer: string): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizer);
}

/** What the references of an object are worth now. */
export type OwnerClasses =
  | {
      readonly type: "classified";
      /** Owners that are there, and stay. */
      readonly solid: readonly DraftOwner[];
      /** Owners that are gone, or never were in reach. */
      readonly dangling: readonly DraftOwner[];
      /** Owners whose own deletion waits for their dependents. */
      readonly waiting: readonly DraftOwner[];
      /** Of the dangling ones, those that are there, in another namespace. */
      readonly elsewhere: readonly DraftOwner[];
    }
  /** Nothing can be said while this kind is not served. */
  | { readonly type: "unknownKind"; readonly group: string; readonly kind: string }
  /** An object of the cluster cannot be owned by one of a namespace. */
  | { readonly type: "namespacedOwner"; readonly owner: DraftOwner };

/** The kind that a reference names, in a version that is served. */
export function kindOfOwner(access: ClusterAccess, { apiVersion, kind }: DraftOwner): Kind | undefined {
  const { group, version } = groupVersionOf(apiVersion);
  for (const one of access.kinds()) {
    if (one.group !== group || one.kind !== kind || one.verbs.length === 0) continue;
    if (one.versions.some((served) => served.served && served.version === version)) return one;
  }
  return undefined;
}

function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf("/");
  return slash === -1
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Looks every owner up. */
export function classifyOwners(access: ClusterAccess, object: StoredObject): OwnerClasses {
  const { namespace, ownerReferences = [] } = object.metadata;
  const classes = {
    type: "classified" as const,
    solid: [] as DraftOwner[],
    dangling: [] as DraftOwner[],
    waiting: [] as DraftOwner[],
    elsewhere: [] as DraftOwner[],
  };
  for (const reference of ownerReferences) {
    const kind = kindOfOwner(access, reference);
    if (kind === undefined) {
      const { group } = groupVersionOf(reference.apiVersion);
      return { type: "unknownKind", group, kind: reference.kind };
    }
    if (kind.namespaced && namespace === undefined) return { type: "namespacedOwner", owner: reference };
    const resource = { group: kind.group, resource: kind.plural };
    const key = { namespace: kind.namespaced ? namespace : undefined, name: reference.name };
    const owner = access.find(resource, key);
    if (owner !== undefined && owner.metadata.uid === reference.uid) {
      const isWaiting = isDeletingWith(owner, foregroundFinalizer);
      classes[isWaiting ? "waiting" : "solid"].push(reference);
      continue;
    }
    classes.dangling.push(reference);
    const isElsewhere = (other: StoredObject): boolean => other.metadata.uid === reference.uid;
    if (kind.namespaced && access.list(resource).some(isElsewhere)) classes.elsewhere.push(reference);
  }
  return classes;
}
