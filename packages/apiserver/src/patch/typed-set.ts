import { isObject } from "../schema/plain-object.ts";
import { DraftSet } from "./draft-set.ts";
import { below, emptySet, type FieldSet, isEmptySet, isMember, nodeOf } from "./field-set.ts";
import { type FieldType, formOf, type ListType, type MapType } from "./field-type.ts";
import { itemElement } from "./list-item.ts";
import { fieldElement, type PathElement } from "./path-element.ts";

/** Every leaf and item of a value that fits its type: what whoever applies it owns. */
export function fieldsOfValue(value: unknown, type: FieldType): FieldSet {
  const draft = new DraftSet();
  addFields({ draft, path: [] }, value, type);
  return draft.set;
}

interface Place {
  readonly draft: DraftSet;
  readonly path: PathElement[];
}

function addFields(place: Place, value: unknown, type: FieldType): void {
  const form = formOf(type, value);
  if (form === "map") addMap(place, value, type.map as MapType);
  else if (form === "list") addList(place, value, type.list as ListType);
  else place.draft.add(place.path);
}

function addMap(place: Place, value: unknown, type: MapType): void {
  const { draft, path } = place;
  if (type.atomic) draft.add(path);
  else if (isObject(value)) {
    for (const [name, child] of Object.entries(value)) {
      const childType = type.fieldType(name);
      if (childType === undefined) continue;
      path.push(fieldElement(name));
      const empty = child === null || (isObject(child) && Object.keys(child).length === 0);
      if (empty || !type.declares(name)) draft.add(path);
      addFields(place, child, childType);
      path.pop();
    }
  }
}

function addList(place: Place, value: unknown, type: ListType): void {
  const { draft, path } = place;
  if (type.atomic) {
    draft.add(path);
    return;
  }
  if (!Array.isArray(value)) return;
  const counts = new Map<PathElement, number>();
  const elements = value.map((item) => itemElement(type, item));
  for (const element of elements) counts.set(element, (counts.get(element) ?? 0) + 1);
  for (const [index, element] of elements.entries()) {
    path.push(element);
    draft.add(path);
    // Items of one name are owned together, and nothing in them.
    if (counts.get(element) === 1) addFields(place, value[index], type.items);
    path.pop();
  }
}

/** The set with the fields on the way to its members, as far as the schema names them: so that a merge sees structures as things of their own. */
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

/**
 * A set that was made under another schema: where a map or list has become one whole since, whoever owned a part owns it all.
 * The same set when nothing has.
 */
export function fitSetToType(set: FieldSet, type: FieldType): FieldSet {
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
  return fitSetToType(node, childType);
}
