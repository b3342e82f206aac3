import { isObject } from "../schema/plain-object.ts";
import { below, emptySet, type FieldSet, isEmptySet, isMember, nodeOf } from "./field-set.ts";
import { type FieldType, formOf, type ListType, type MapType } from "./field-type.ts";
import { itemElement } from "./list-item.ts";
import { fieldElement, type PathElement } from "./path-element.ts";

/** Every leaf and item of a value that fits its type: what whoever applies it owns. */
export function fieldsOfValue(value: unknown, type: FieldType): FieldSet {
  return below(nodeOfValue(value, type, false));
}

/** The node of a value; `member`: of a field that belongs to the set, whatever is below it. */
function nodeOfValue(value: unknown, type: FieldType, member: boolean): FieldSet | undefined {
  const form = formOf(type, value);
  if (form === "scalar" || type[form]?.atomic === true) return emptySet;
  return nodeOf(
    member,
    form === "map" ? fieldsOfMap(value, type.map as MapType) : itemsOf(value, type.list as ListType),
  );
}

function fieldsOfMap(value: unknown, type: MapType): FieldSet {
  if (!isObject(value)) return emptySet;
  const fields: Record<PathElement, FieldSet> = {};
  for (const name of Object.keys(value)) {
    const childType = type.fieldType(name);
    if (childType === undefined) continue;
    const child = value[name];
    const empty = child === null || (isObject(child) && Object.keys(child).length === 0);
    const node = nodeOfValue(child, childType, empty || !type.declares(name));
    if (node !== undefined) fields[fieldElement(name)] = node;
  }
  return fields;
}

function itemsOf(value: unknown, type: ListType): FieldSet {
  if (!Array.isArray(value)) return emptySet;
  const items: Record<PathElement, FieldSet> = {};
  const repeated = new Set<PathElement>();
  for (const item of value) {
    const element = itemElement(type, item);
    if (items[element] !== undefined) repeated.add(element);
    else items[element] = nodeOfValue(item, type.items, true) ?? emptySet;
  }
  // Items of one name are owned together, and nothing in them.
  for (const element of repeated) items[element] = emptySet;
  return items;
}

/**
 * The set with the fields on the way to its members, as far as the schema names them: so that a merge sees structures
 * as things of their own.
 */
export function withNamedFields(set: FieldSet, type: FieldType | undefined): FieldSet {
  const result: Record<PathElement, FieldSet> = {};
  for (const [element, node] of Object.entries(set)) {
    if (element === ".") continue;
    const children = below(node);
    if (isEmptySet(children)) {
      result[element] = emptySet;
      continue;
    }
    const isField = element.startsWith("f:");
    const named = isField && type?.map?.declares(element.slice(2)) === true;
    const childType = typeAt(type, element);
    result[element] = nodeOf(named || isMember(node), withNamedFields(children, childType)) ?? emptySet;
  }
  return result;
}

function typeAt(type: FieldType | undefined, element: PathElement): FieldType | undefined {
  if (element.startsWith("f:")) return type?.map?.fieldType(element.slice(2));
  return element.startsWith("k:") ? type?.list?.items : undefined;
}

/** Sets that have been found to fit a type: those of stored objects are looked at with every write. */
const fitting = new WeakMap<FieldSet, FieldType>();

/**
 * A set that was made under another schema: where a map or list has become one whole since, whoever owned a part owns
 * it all. The same set when nothing has.
 */
export function fitSetToType(set: FieldSet, type: FieldType): FieldSet {
  if (fitting.get(set) === type) return set;
  const fitted = fitNodes(set, type);
  fitting.set(fitted, type);
  return fitted;
}

function fitNodes(set: FieldSet, type: FieldType): FieldSet {
  const result: Record<PathElement, FieldSet> = {};
  let changed = false;
  for (const element of Object.keys(set)) {
    const node = set[element] as FieldSet;
    const fitted = element === "." ? node : fitNode(node, element, type);
    if (fitted !== node) changed = true;
    result[element] = fitted;
  }
  return changed ? result : set;
}

function fitNode(node: FieldSet, element: PathElement, type: FieldType): FieldSet {
  const childType =
    type.map !== undefined
      ? type.map.free
        ? undefined
        : type.map.fieldType(element.startsWith("f:") ? element.slice(2) : "")
      : type.list?.items;
  if (childType === undefined || isEmptySet(below(node))) return node;
  const { map, list } = childType;
  if (map !== undefined ? !map.free && map.atomic : childType.scalar === undefined && list?.atomic === true)
    return emptySet;
  return fitNodes(node, childType);
}
