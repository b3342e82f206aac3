import type { DraftObject } from "../registry/api-object.ts";

/**
 * What is done to the metadata of every body: selfLink says nothing any more and goes; an empty list of managers, which
 * decoding loses, says that they are to be cleared, and comes back.
 */
export function settleMeta({ metadata }: DraftObject, sent: unknown): void {
  Reflect.deleteProperty(metadata, "selfLink");
  const { managedFields } = ((sent as Partial<DraftObject> | null)?.metadata ?? {}) as DraftObject["metadata"];
  if (Array.isArray(managedFields) && managedFields.length === 0) metadata.managedFields = [];
}
