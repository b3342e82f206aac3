import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "./structural-schema.ts";

function isMap(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets a field of that very name, even `__proto__`. */
function set(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

/**
 * What a merge patch (RFC 7386) makes of the target, which is left alone: null removes a field, a list replaces a list.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: Record<string, unknown> = {};
  const fields = isMap(target) ? target : {};
  for (const [name, value] of Object.entries(fields)) {
    if (!Object.hasOwn(patch, name) || patch[name] === undefined) set(result, name, value);
    else if (patch[name] !== null) set(result, name, applyMergePatch(value, patch[name]));
  }
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || value === null || Object.hasOwn(fields, name)) continue;
    set(result, name, applyMergePatch(undefined, value));
  }
  return result;
}

/**
 * The smallest merge patch that turns `from` into `to`; undefined when they are equal, so that nothing need be sent.
 * Fields that are undefined count as absent, and so do those that are null in `to`: a merge patch cannot set null.
 */
export function mergePatchBetween(from: JsonObject, to: JsonObject): JsonObject | undefined {
  const patch: Record<string, unknown> = {};
  const present = (object: JsonObject, name: string): boolean =>
    Object.hasOwn(object, name) && object[name] !== undefined;
  for (const name of Object.keys(from)) {
    if (present(from, name) && (!present(to, name) || to[name] === null)) set(patch, name, null);
  }
  for (const [name, value] of Object.entries(to)) {
    if (value === undefined || value === null) continue;
    const had = present(from, name) ? from[name] : undefined;
    if (isMap(value) && isMap(had)) {
      const change = mergePatchBetween(had, value);
      if (change !== undefined) set(patch, name, change);
    } else if (isMap(value)) {
      // Nulls within what is new would remove, not set; applying the value to nothing drops them.
      set(patch, name, applyMergePatch(undefined, value));
    } else if (!isDeepStrictEqual(had, value)) set(patch, name, value);
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
