import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { isObject, own } from "../schema/plain-object.ts";
import type { ServedSchema } from "../schema/served-schema.ts";

/**
 * Objects whose stored text says what nobody reads in it. Custom ones as an apply has made them: the real server stores
 * their metadata unread, `labels: {}` and the like in it. ConfigMaps and Secrets with a null among their bytes: that is
 * an entry without a value, read as one whose value is empty. A write after that finds another text than it would
 * store, and so does the same write again: both write.
 */
const unread = new WeakSet<DraftObject | StoredObject>();

/** Whatever the server sets itself at every write is as it should be. */
const unreadable = [
  "annotations",
  "deletionTimestamp",
  "finalizers",
  "generateName",
  "labels",
  "ownerReferences",
] as const;

/** Notes an object whose metadata has lost something when it was read. */
export function noteUnread(object: DraftObject, written: DraftObject["metadata"]): void {
  if (unreadable.some((name) => Object.hasOwn(written, name) && !Object.hasOwn(object.metadata, name))) {
    unread.add(object);
  }
}

/** Notes an object that was read from a value with a null among its bytes. */
export function noteNullBytes(object: DraftObject, { properties }: ServedSchema, value: unknown): void {
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (own(properties, name)?.additionalProperties?.format !== "byte") continue;
    if (Object.values(value[name] ?? {}).includes(null)) unread.add(object);
  }
}

/** Whether the text that is stored of an object says more than is read. */
export function isUnread(object: DraftObject | StoredObject): boolean {
  return unread.has(object);
}

/** Passes on to the stored object what is known of the draft. */
export function keepUnread<T extends DraftObject | StoredObject>(stored: T, draft: DraftObject): T {
  if (unread.has(draft)) unread.add(stored);
  return stored;
}
