import { isObject, own, sameJson } from "./plain-object.ts";
import type { ServedSchema } from "./served-schema.ts";

/**
 * A value with what it was before an update, where the schema lets one tell: fields by name, items of a list of type
 * map by their keys. Items of other lists have no former value.
 */
export interface Correlated {
  readonly schema: ServedSchema;
  readonly value: unknown;
  readonly old: unknown;
}

export function correlatedField(node: Correlated | undefined, name: string): Correlated | undefined {
  if (node === undefined || !isObject(node.value) || !isObject(node.old)) return undefined;
  if (!Object.hasOwn(node.value, name) || !Object.hasOwn(node.old, name)) return undefined;
  const schema = own(node.schema.properties, name) ?? node.schema.additionalProperties;
  return schema === undefined ? undefined : { schema, value: node.value[name], old: node.old[name] };
}

export function correlatedItem(node: Correlated | undefined, index: number): Correlated | undefined {
  if (node === undefined || !Array.isArray(node.value) || !Array.isArray(node.old)) return undefined;
  const { items } = node.schema;
  const key = mapKey(node.schema, node.value[index]);
  if (items === undefined || key === undefined) return undefined;
  const old = itemsByKey(node.schema, node.old).get(key);
  return old === undefined ? undefined : { schema: items, value: node.value[index], old };
}

/** Lists of old objects, which nobody changes any more, with the schema by whose keys they were read. */
const indexed = new WeakMap<
  readonly unknown[],
  { readonly schema: ServedSchema; readonly byKey: ReadonlyMap<string, unknown> }
>();

/** The items of a list of type map; of those with the same keys the first. */
function itemsByKey(schema: ServedSchema, list: readonly unknown[]): ReadonlyMap<string, unknown> {
  const known = indexed.get(list);
  if (known?.schema === schema) return known.byKey;
  const byKey = new Map<string, unknown>();
  for (const item of list) {
    const key = mapKey(schema, item);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  indexed.set(list, { schema, byKey });
  return byKey;
}

/** The item's keys as one text; undefined where one is missing, or the list is not of type map. */
function mapKey(list: ServedSchema, item: unknown): string | undefined {
  const keys = list["x-kubernetes-list-map-keys"] ?? [];
  if (list["x-kubernetes-list-type"] !== "map" || keys.length === 0 || !isObject(item)) return undefined;
  const values = keys.map((key) => own(item, key));
  return values.some((value) => value === undefined || (typeof value === "object" && value !== null))
    ? undefined
    : JSON.stringify(values);
}

/**
 * Whether the value is what it was, as ratcheting asks: items of a list of type map may have moved; an object with
 * fields that no schema names has always changed.
 */
export function isUnchanged(node: Correlated | undefined): boolean {
  if (node === undefined) return false;
  const { value, old, schema } = node;
  if (value === null || old === null || value === undefined || old === undefined) return value === old;
  if (Array.isArray(value)) {
    if (!Array.isArray(old) || old.length !== value.length) return false;
    if (schema["x-kubernetes-list-type"] !== "map") return sameJson(value, old);
    return value.every((_, index) => isUnchanged(correlatedItem(node, index)));
  }
  if (!isObject(value)) return value === old;
  const names = Object.keys(value);
  return (
    isObject(old) &&
    names.length === Object.keys(old).length &&
    names.every((name) => isUnchanged(correlatedField(node, name)))
  );
}
