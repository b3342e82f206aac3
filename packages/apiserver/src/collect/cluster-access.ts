import type { JsonObject, ObjectKey } from "farwatch";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import type { Kind } from "../registry/kind.ts";
import type { GroupResource, ObjectReader } from "../registry/object-reader.ts";

/** One write that was stored. */
export interface ObservedChange {
  readonly resource: GroupResource;
  readonly type: "ADDED" | "DELETED" | "MODIFIED";
  readonly object: StoredObject;
  /** Absent for ADDED. */
  readonly old: StoredObject | undefined;
}

export interface RemoveOptions {
  /** Only this very object. */
  readonly uid: string;
  /** Only as it was read. */
  readonly resourceVersion?: string | undefined;
  readonly propagationPolicy: "Background" | "Foreground" | "Orphan";
}

/**
 * What the controllers in this room see and do of a server: they read what is stored, and write as any client does,
 * through admission and validation, as a user who may do everything. Writes reject with an ApiError.
 */
export interface ClusterAccess extends ObjectReader {
  /** Those that are served now. */
  kinds(): Iterable<Kind>;
  /** Calls the listener with each change, in its tick; dispose to stop. */
  watchAll(listener: (change: ObservedChange) => void): Disposable;
  create(resource: GroupResource, object: DraftObject): Promise<void>;
  /** A merge patch; with `metadata.resourceVersion` in it, only of the object as it was read. */
  patch(
    resource: GroupResource,
    key: ObjectKey,
    patch: JsonObject,
    options?: { readonly subresource?: "finalize" | "status" },
  ): Promise<void>;
  /** A forced server-side apply. */
  apply(resource: GroupResource, object: DraftObject, fieldManager: string): Promise<void>;
  remove(resource: GroupResource, key: ObjectKey, options: RemoveOptions): Promise<void>;
}

/** Whether a change is of this resource. */
export function isOf({ resource }: ObservedChange, { group, resource: name }: GroupResource): boolean {
  return resource.resource === name && resource.group === group;
}

/** How an object is asked for. */
export function keyOfStored({ metadata }: StoredObject): ObjectKey {
  const { name, namespace } = metadata;
  return namespace === undefined ? { name } : { namespace, name };
}
