import type { JsonObject } from "farwatch";
import { badRequest } from "../failure/api-error.ts";
import { compareText } from "../schema/compare-text.ts";
import { copyJson, isObject, own, setOwn } from "../schema/plain-object.ts";
import type { ServedSchema } from "../schema/served-schema.ts";
import {
  type Fields,
  failed,
  goKind,
  lookUp,
  lookUpList,
  type PatchedField,
  patchDirective,
  setElementOrder,
  unknownDirective,
  wrongType,
} from "./strategic-field.ts";
import { checkOrder, holdsObjects, keyOf, obeyDirectives, orderLike, placesAfter } from "./strategic-list.ts";

const retainKeys = "$retainKeys";
const deleteFromList = "$deleteFromPrimitiveList";

/**
 * Applies a strategic merge patch to an object of a built-in kind: lists with a merge key are merged item by item,
 * lists of scalars with the strategy `merge` as sets, others are replaced; `$patch`, `$retainKeys`,
 * `$deleteFromPrimitiveList/…` and `$setElementOrder/…` direct. `rest` is what the real server has left of the patch by
 * then, which it quotes in refusals.
 *
 * @throws ApiError 400 for directives of a wrong form, 422 for lists of lists, 500 for what the real server fails on.
 */
export function mergeStrategically(
  document: JsonObject,
  patch: JsonObject,
  schema: ServedSchema,
): { readonly value: JsonObject; readonly rest: JsonObject } {
  const rest: Fields = copyJson(patch);
  return { value: mergeMaps(copyJson(document), rest, schema), rest };
}

/** Changes both: the original into the result, the patch into what is left of it. */
function mergeMaps(original: Fields, patch: Fields, schema: ServedSchema): Fields {
  if (Object.hasOwn(patch, patchDirective)) {
    const directive = patch[patchDirective];
    if (directive === "delete") return {};
    if (directive !== "replace") throw unknownDirective(directive, patch);
    remove(patch, patchDirective);
    return patch;
  }
  retain(original, patch);
  mergeOrderedLists(original, patch, schema);
  for (const [name, value] of Object.entries(patch)) mergeField({ original, name, value, schema });
  return sortNames(original);
}

/** What is unknown in an object is told in the order of names. */
function sortNames(fields: Fields): Fields {
  const sorted: Fields = {};
  for (const name of Object.keys(fields).sort(compareText)) setOwn(sorted, name, fields[name]);
  return sorted;
}

function remove(fields: Fields, name: string): void {
  Reflect.deleteProperty(fields, name);
}

/** `$retainKeys`: all other fields go. */
function retain(original: Fields, patch: Fields): void {
  if (!Object.hasOwn(patch, retainKeys)) return;
  const names = patch[retainKeys];
  remove(patch, retainKeys);
  const malformed = badRequest("invalid patch format of retainKeys");
  if (!Array.isArray(names)) throw malformed;
  const retained: ReadonlySet<unknown> = new Set(names);
  for (const [name, value] of Object.entries(patch)) {
    const directs = name.startsWith(deleteFromList) || name.startsWith(setElementOrder);
    if (value !== null && !directs && !retained.has(name)) throw malformed;
  }
  for (const name of Object.keys(original)) if (!retained.has(name)) remove(original, name);
}

/** The list that a directive such as `$setElementOrder/containers` is about. */
function listOf(name: string, directive: string, what: string): string {
  const [prefix, ...rest] = name.split("/");
  if (prefix !== directive || rest.length === 0) throw badRequest(`invalid patch format of ${what}`);
  return rest.join("/");
}

function listIn(fields: Fields, name: string): readonly unknown[] | undefined {
  if (!Object.hasOwn(fields, name)) return undefined;
  const list = fields[name];
  if (!Array.isArray(list)) throw wrongType("[]interface {}", list);
  return list;
}

/** `$setElementOrder/…` and the lists that they order. */
function mergeOrderedLists(original: Fields, patch: Fields, schema: ServedSchema): void {
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(setElementOrder)) continue;
    remove(patch, directive);
    if (!Array.isArray(order)) throw wrongType("[]interface {}", order);
    const name = listOf(directive, setElementOrder, "setElementOrder list");
    const live = listIn(original, name);
    const patched = listIn(patch, name);
    const field = lookUpList(schema, name);
    checkOrder(patched ?? [], order, field.mergeKey);
    if (live === undefined && patched === undefined) continue;
    const [first] = [...(live ?? []), ...(patched ?? [])];
    if (first === undefined) throw failed("no elements in any of the given slices");
    const merged =
      live === undefined
        ? withoutDirectives(patched)
        : patched === undefined
          ? live
          : mergeLists([...live], patched, field, false);
    // Scalars have no key, whatever the schema says.
    const mergeKey = isObject(first) ? field.mergeKey : "";
    const places = mergeKey === "" ? (live ?? []) : placesAfter(live ?? [], patched ?? [], mergeKey);
    setOwn(original, name, orderLike(merged as readonly unknown[], { order, live: places, mergeKey }));
    remove(patch, name);
  }
}

interface MergedField {
  readonly original: Fields;
  readonly name: string;
  readonly value: unknown;
  readonly schema: ServedSchema;
}

function mergeField({ original, name: given, value, schema }: MergedField): void {
  const deletes = given.startsWith(deleteFromList);
  const name = deletes ? listOf(given, deleteFromList, "primitive list") : given;
  if (value === null) {
    remove(original, name);
    return;
  }
  const live = own(original, name);
  if (Object.hasOwn(original, name)) {
    if (isObject(live) && isObject(value)) {
      const field = lookUp(schema, name);
      setOwn(original, name, field.strategy === "replace" ? value : mergeMaps(live, value, field.schema));
      return;
    }
    if (Array.isArray(live) && Array.isArray(value)) {
      setOwn(original, name, mergeLists(live, value, lookUpList(schema, name), deletes));
      return;
    }
  }
  if (deletes) return;
  dropNulls(value);
  const kept = withoutDirectives(value);
  if (kept === undefined) remove(original, name);
  else setOwn(original, name, kept);
}

/** What is new has nothing that nulls could take away. */
function dropNulls(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) dropNulls(item);
  else if (isObject(value)) {
    for (const [name, child] of Object.entries(value)) {
      if (child === null) remove(value, name);
      else dropNulls(child);
    }
  }
}

/** The value without directives: undefined for an object that is one. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, patchDirective)) return undefined;
  for (const [name, child] of Object.entries(value)) {
    const kept = withoutDirectives(child);
    if (kept === undefined) remove(value, name);
    else setOwn(value, name, kept);
  }
  return value;
}

function mergeLists(
  original: unknown[],
  patch: readonly unknown[],
  field: PatchedField,
  deletes: boolean,
): readonly unknown[] {
  if (field.strategy !== "merge" && !deletes) return patch;
  if (original.length === 0 && patch.length === 0) return original;
  if (!holdsObjects(original, patch)) {
    if (deletes) {
      const deleted: ReadonlySet<unknown> = new Set(patch);
      return original.filter((item) => !deleted.has(item));
    }
    return orderLike([...new Set([...original, ...patch])], { order: patch, live: original, mergeKey: "" });
  }
  const { mergeKey, schema } = field;
  if (mergeKey === "") throw failed(`cannot merge lists without merge key for ${goKind(schema)}`);
  const { live, items } = obeyDirectives(original, patch, mergeKey);
  const merged = mergeItems([...live], items, { mergeKey, schema });
  for (const item of merged) keyOf(item, mergeKey);
  return orderLike(merged, { order: items, live, mergeKey });
}

function mergeItems(
  live: unknown[],
  items: readonly Fields[],
  { mergeKey, schema }: { readonly mergeKey: string; readonly schema: ServedSchema },
): readonly unknown[] {
  const places = new Map<unknown, number>();
  for (const [place, one] of live.entries()) {
    const key = isObject(one) ? own(one, mergeKey) : undefined;
    if (key !== undefined && !places.has(key)) places.set(key, place);
  }
  for (const item of items) {
    const key = keyOf(item, mergeKey);
    const at = places.get(key);
    if (at === undefined) {
      places.set(key, live.length);
      live.push(item);
    } else live[at] = mergeMaps(live[at] as Fields, item, schema);
  }
  return live;
}
