import { badRequest } from "../failure/api-error.ts";
import { compareText } from "../schema/compare-text.ts";
import { isObject, own, setOwn } from "../schema/plain-object.ts";
import { jsonKindText } from "./go-text.ts";

/**
 * Applies a merge patch (RFC 7386) as the library of the real server does, which differs within lists: where one is
 * new, or takes the place of no object, nulls in its objects are left out. Objects that were merged have their names
 * sorted.
 *
 * @throws ApiError 400 for a patch that is neither an object nor a list.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) return withoutNulls(patch);
  if (!isObject(patch)) throw badRequest("Invalid JSON Patch");
  return merge(document, patch);
}

/** @throws ApiError 400 for a patch that is no object: strict decoding refuses it. */
export function checkMergePatch(patch: unknown): void {
  if (patch === null || isObject(patch)) return;
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${jsonKindText(patch)} into Go value of type map[string]interface {}`,
  );
}

function sorted(fields: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const name of [...fields.keys()].sort(compareText)) setOwn(result, name, fields.get(name));
  return result;
}

function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(target)) return withoutNulls(patch);
  if (!isObject(patch)) return patch;
  const fields = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    const known = own(target, name) ?? null;
    if (value === null) fields.delete(name);
    else fields.set(name, known === null ? withoutNulls(value) : merge(known, value));
  }
  return sorted(fields);
}

/** A new value: there is nothing that its nulls could take away. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, child]) => child !== null);
  return sorted(new Map(kept.map(([name, child]) => [name, withoutNulls(child)])));
}
