import { isDeepStrictEqual } from "node:util";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";

/** Whether a write would store what is stored, the version aside. */
export function sameContent(old: StoredObject, next: DraftObject): boolean {
  const { resourceVersion: _old, ...before } = old.metadata;
  const { resourceVersion: _next, ...after } = next.metadata;
  return isDeepStrictEqual(before, after) && isDeepStrictEqual({ ...old, metadata: null }, { ...next, metadata: null });
}
