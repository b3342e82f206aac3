import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "../wire/object.ts";
import type { JsonPatchOperation } from "./client.ts";

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * True when a merge patch (RFC 7386) would change the target. Nothing is built: this runs before every status write.
 */
export function mergePatchChanges(target: unknown, patch: unknown): boolean {
  if (!isMap(patch)) return patch !== target && !isDeepStrictEqual(patch, target);
  if (!isMap(target)) return true;
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    // JSON has no undefined: such a key is not sent.
    if (value === undefined) continue;
    const present = Object.hasOwn(target, key) && target[key] !== undefined;
    if (value === null ? present : !present || mergePatchChanges(target[key], value)) return true;
  }
  return false;
}

/**
 * False when it is certain that a JSON patch (RFC 6902) would change nothing: every operation tests for, or writes into
 * a map, the value that is there. True for anything else, such as inserting into a list.
 */
export function jsonPatchChanges(target: unknown, operations: readonly JsonPatchOperation[]): boolean {
  return operations.some((operation) => {
    if (operation.op !== "test" && operation.op !== "replace" && operation.op !== "add") return true;
    const found = lookUp(target, operation.path);
    return (
      found === undefined ||
      (found.inList && operation.op === "add") ||
      !isDeepStrictEqual(found.value, operation.value)
    );
  });
}

/** The value at a JSON pointer (RFC 6901), and whether it is an element of a list. */
function lookUp(target: unknown, pointer: string): { readonly value: unknown; readonly inList: boolean } | undefined {
  if (pointer === "") return { value: target, inList: false };
  if (!pointer.startsWith("/")) return undefined;
  let value = target;
  let inList = false;
  for (const part of pointer.slice(1).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    inList = Array.isArray(value);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return { value, inList };
}

/** True when two states of an object say the same, whoever owns their fields. */
export function sameObject(a: KubeObject, b: KubeObject): boolean {
  return a === b || isDeepStrictEqual(withoutOwners(a), withoutOwners(b));
}

function withoutOwners(object: KubeObject): unknown {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
