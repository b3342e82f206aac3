import { copyJson, isObject, own, setOwn } from "../schema/plain-object.ts";
import { below, type FieldSet, isEmptySet, isMember } from "./field-set.ts";
import { type FieldType, formOf, type ListType, type MapType } from "./field-type.ts";
import { itemElement } from "./list-item.ts";
import { fieldElement, type PathElement } from "./path-element.ts";

/**
 * What a configuration makes of a live value of the same type: its leaves win, and nothing goes. Lists of items that
 * are owned one by one take the order of the configuration, with the other items where they were between those around
 * them.
 */
export function mergeTyped(live: unknown, applied: unknown, type: FieldType): unknown {
  const form = formOf(type, applied === undefined ? live : applied);
  if (form === "map") return mergeMaps(live, applied, type.map as MapType);
  if (form === "list") return mergeLists(live, applied, type.list as ListType);
  return mergeLeaf(live, applied);
}

function mergeLeaf(live: unknown, applied: unknown): unknown {
  return copyJson(applied === undefined ? live : applied);
}

function mergeMaps(live: unknown, applied: unknown, type: MapType): unknown {
  const before = isObject(live) ? live : undefined;
  const after = isObject(applied) ? applied : undefined;
  const names = before === undefined ? [] : Object.keys(before);
  if (after !== undefined) {
    for (const name of Object.keys(after)) if (before === undefined || !Object.hasOwn(before, name)) names.push(name);
  }
  if (type.atomic || names.length === 0) return mergeLeaf(live, applied);
  const result: Record<string, unknown> = {};
  let isEmpty = true;
  for (const name of names) {
    const fieldType = type.fieldType(name);
    if (fieldType === undefined) continue;
    const merged = mergeTyped(own(before, name), own(after, name), fieldType);
    if (merged === undefined) continue;
    setOwn(result, name, merged);
    isEmpty = false;
  }
  return isEmpty ? undefined : result;
}

function mergeLists(live: unknown, applied: unknown, type: ListType): unknown {
  const before: readonly unknown[] = Array.isArray(live) ? live : [];
  const after: readonly unknown[] = Array.isArray(applied) ? applied : [];
  if (type.atomic || (before.length === 0 && after.length === 0)) return mergeLeaf(live, applied);
  const merged = mergeItems(before, after, type);
  return merged.length === 0 ? undefined : merged;
}

/** Items by name; null stands for those of which there are several, which are replaced and not merged. */
function indexItems(elements: readonly PathElement[], items: readonly unknown[]): ReadonlyMap<PathElement, unknown> {
  const index = new Map<PathElement, unknown>();
  for (const [place, element] of elements.entries()) index.set(element, index.has(element) ? null : items[place]);
  return index;
}

function mergeItems(before: readonly unknown[], after: readonly unknown[], type: ListType): readonly unknown[] {
  const oldNames = before.map((item) => itemElement(type, item));
  const newNames = after.map((item) => itemElement(type, item));
  const olds = indexItems(oldNames, before);
  const news = indexItems(newNames, after);
  // Names on both sides in the order of the configuration: a live item that is not the next of them has its place
  // later.
  const shared = newNames.filter((name) => olds.has(name));
  let nextShared = 0;
  const taken = new Set<PathElement>();
  const result: unknown[] = [];
  const push = (oldItem: unknown, newItem: unknown): void => {
    const merged = mergeTyped(oldItem, newItem, type.items);
    if (merged !== undefined) result.push(merged);
  };
  let oldAt = 0;
  let newAt = 0;
  while (oldAt < oldNames.length || newAt < newNames.length) {
    const oldName = oldNames[oldAt];
    const newName = newNames[newAt];
    if (oldName !== undefined && newName !== undefined) {
      if (oldName === newName) {
        taken.add(oldName);
        push(olds.get(oldName), news.get(oldName));
        oldAt += 1;
        newAt += 1;
        nextShared += 1;
        continue;
      }
      if (news.has(oldName) && nextShared < shared.length && shared[nextShared] !== oldName) {
        oldAt += 1;
        continue;
      }
    }
    if (oldName !== undefined) {
      if (!news.has(oldName)) {
        push(before[oldAt], undefined);
        oldAt += 1;
        continue;
      }
      if (taken.has(oldName)) oldAt += 1;
    }
    if (newName !== undefined) {
      taken.add(newName);
      push(olds.get(newName), news.get(newName));
      newAt += 1;
      if (shared[nextShared] === newName) nextShared += 1;
    }
  }
  return result;
}

/**
 * The value without the fields and items of a set. What is left of a map or list that has lost all of it is null, as it
 * is of an atomic one of which the set names a part.
 */
export function removeFields(value: unknown, fields: FieldSet, type: FieldType): unknown {
  const form = formOf(type, value);
  if (form === "scalar") return value;
  if (form === "map") return isObject(value) ? removeFromMap(value, fields, type.map as MapType) : null;
  return Array.isArray(value) ? removeFromList(value, fields, type.list as ListType) : null;
}

function removeFromMap(value: Readonly<Record<string, unknown>>, fields: FieldSet, type: MapType): unknown {
  if (type.atomic) return null;
  const result: Record<string, unknown> = {};
  for (const [name, child] of Object.entries(value)) {
    const node = fields[fieldElement(name)];
    if (isMember(node)) continue;
    const childType = type.fieldType(name);
    setOwn(result, name, node === undefined || childType === undefined ? child : removeFields(child, node, childType));
  }
  return Object.keys(result).length === 0 ? null : result;
}

function removeFromList(value: readonly unknown[], fields: FieldSet, type: ListType): unknown {
  if (type.atomic) return null;
  const result: unknown[] = [];
  for (const item of value) {
    const node = fields[itemElement(type, item)];
    if (isMember(node)) continue;
    const children = below(node);
    result.push(isEmptySet(children) ? item : removeFields(item, children, type.items));
  }
  return result.length === 0 ? null : result;
}
