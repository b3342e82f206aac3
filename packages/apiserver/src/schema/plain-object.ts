import { compareText } from "./compare-text.ts";

/** Whether the value is an object of JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object's own field; nothing that it inherits. */
export function own<T>(object: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a field of that very name, even `__proto__`. */
export function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  } else object[name] = value;
}

/** The value with its objects' fields in the order of their names, in which Go prints a map. */
export function sortedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (!isObject(value)) return value;
  const sorted: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort(compareText)) setOwn(sorted, name, sortedJson(value[name]));
  return sorted;
}

/** A copy that shares nothing; for JSON alone. */
export function copyJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) setOwn(copy, name, copyJson((value as Record<string, unknown>)[name]));
  return copy as T;
}

/** Whether two values are the same, the order of fields aside; for JSON alone. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index += 1) if (!sameJson(left[index], right[index])) return false;
    return true;
  }
  if (Array.isArray(right)) return false;
  const a = left as Record<string, unknown>;
  const b = right as Record<string, unknown>;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) if (!Object.hasOwn(b, name) || !sameJson(a[name], b[name])) return false;
  return true;
}
