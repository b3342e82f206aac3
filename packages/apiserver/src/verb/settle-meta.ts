import { isDeepStrictEqual } from "node:util";
import type { DraftObject, DraftOwner } from "../registry/api-object.ts";

/**
 * What is done to the metadata of every body: selfLink says nothing any more and goes; an empty list of managers, which decoding
 * loses, says that they are to be cleared, and comes back; an owner that is named twice is named once, with a warning.
 */
export function settleMeta({ metadata }: DraftObject, sent: unknown, warn: (text: string) => void): void {
  Reflect.deleteProperty(metadata, "selfLink");
  const { managedFields } = ((sent as Partial<DraftObject> | null)?.metadata ?? {}) as DraftObject["metadata"];
  if (Array.isArray(managedFields) && managedFields.length === 0) metadata.managedFields = [];
  const { ownerReferences = [] } = metadata;
  const kept: DraftOwner[] = [];
  const repeated: string[] = [];
  for (const owner of ownerReferences) {
    if (kept.some((one) => isDeepStrictEqual(one, owner))) repeated.push(owner.uid);
    else kept.push(owner);
  }
  if (repeated.length === 0) return;
  metadata.ownerReferences = kept;
  warn(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(", ")}`,
  );
}
