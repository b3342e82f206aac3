import type { DraftObject, DraftOwner } from "../registry/api-object.ts";

const sequel =
  "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests";

/**
 * Takes owners that are named twice out of metadata.ownerReferences.
 *
 * @returns the warning, where there were any
 */
export function dropRepeatedOwners({ metadata }: DraftObject, when: "after admission" | "as sent"): string | undefined {
  const owners = metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return undefined;
  const kept: DraftOwner[] = [];
  const repeated: string[] = [];
  const seen = new Set<string>();
  for (const owner of owners) {
    const text = ownerText(owner);
    if (seen.has(text)) repeated.push(owner.uid);
    else kept.push(owner);
    seen.add(text);
  }
  if (repeated.length === 0) return undefined;
  metadata.ownerReferences = kept;
  const what = `.metadata.ownerReferences contains duplicate entries${when === "as sent" ? "" : " after mutating admission happens"}`;
  return `${what}; ${sequel}; duplicate UID(s) observed: ${repeated.join(", ")}`;
}

/** The same for two that say the same; null is absent. */
function ownerText({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: DraftOwner): string {
  return JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
}
