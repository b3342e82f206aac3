import { isTooDeep } from "../failure/read-json.ts";
import { compareText } from "../schema/compare-text.ts";
import { isObject, setOwn } from "../schema/plain-object.ts";

/**
 * An object or list of the document that an operation has looked into, and may change: the document itself is left
 * alone.
 */
export type Opened = Map<string, unknown> | OpenedList;

/** An array would be taken for one of the document. */
export class OpenedList {
  readonly items: unknown[];

  constructor(items: readonly unknown[]) {
    this.items = [...items];
  }
}

/** The operation cannot be done, for a reason in the words of the real server's library. */
export class Inapplicable extends Error {
  override readonly name = "Inapplicable";
}

/** Of what is not there. */
export const missing = "missing value";

/** The value to be looked into; undefined for what has no parts. */
export function open(value: unknown): Opened | undefined {
  if (value instanceof Map || value instanceof OpenedList) return value;
  if (Array.isArray(value)) return new OpenedList(value);
  return isObject(value) ? new Map(Object.entries(value)) : undefined;
}

/** As plain JSON, which shares what was not looked into. */
export function close(value: unknown): unknown {
  if (value instanceof OpenedList) return value.items.map(close);
  if (!(value instanceof Map)) return value;
  const result: Record<string, unknown> = {};
  for (const name of [...value.keys()].sort(compareText)) setOwn(result, name, close(value.get(name)));
  return result;
}

function index(key: string): number {
  if (!/^[-+]?\d+$/.test(key)) {
    const why = `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
    throw new Inapplicable(`value was not a proper array index: '${key}': ${why}`);
  }
  return Number(key);
}

function outside(given: number): string {
  return `Unable to access invalid index: ${given}: invalid index referenced`;
}

/** The place of an item; below zero it counts from the end. `otherwise` says that there is none. */
export function existingIndex({ items }: OpenedList, key: string, otherwise?: string): number {
  const given = index(key);
  const at = given < 0 ? given + items.length : given;
  if (at < 0 || at >= items.length) throw new Inapplicable(otherwise ?? outside(given));
  return at;
}

/** A field that is not there is null; an item that is not there is an error. */
export function get(place: Opened, key: string, otherwise?: string): unknown {
  return place instanceof Map ? (place.get(key) ?? null) : place.items[existingIndex(place, key, otherwise)];
}

/**
 * Adds a field, or puts an item before the one at its place; `-` is behind the last. @throws Inapplicable for no such
 * place.
 */
export function addTo(place: Opened, key: string, value: unknown): void {
  if (place instanceof Map) place.set(key, value);
  else if (key === "-") place.items.push(value);
  else {
    const given = index(key);
    const at = given < 0 ? given + place.items.length + 1 : given;
    if (at < 0 || at > place.items.length) throw new Inapplicable(outside(given));
    place.items.splice(at, 0, value);
  }
}

/** @throws Inapplicable for what is not there. */
export function removeFrom(place: Opened, key: string): void {
  if (place instanceof Map) {
    if (!place.delete(key)) throw new Inapplicable(`Unable to remove nonexistent key: ${key}: ${missing}`);
  } else place.items.splice(existingIndex(place, key), 1);
}

/** Whether a part of the document has more levels than that. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (!(value instanceof Map || value instanceof OpenedList)) return isTooDeep(value, levels);
  const children = value instanceof Map ? [...value.values()] : value.items;
  return levels <= 0 || children.some((child) => isDeeper(child, levels - 1));
}
