import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { sameJson } from "../schema/plain-object.ts";

/** Whether a write would store what is stored, the version aside. */
export function sameContent(old: StoredObject, next: DraftObject): boolean {
  const { metadata: before, ...rest } = old;
  const { metadata: after, ...others } = next;
  const metadata = { ...after, resourceVersion: before.resourceVersion };
  return sameJson(before, metadata) && sameJson(rest, others);
}
