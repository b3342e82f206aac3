import { isObject, own, sameJson } from "../schema/plain-object.ts";
import { DraftSet } from "./draft-set.ts";
import type { FieldSet } from "./field-set.ts";
import { type FieldType, type FormOf, formOf, type ListType, type MapType } from "./field-type.ts";
import { itemElement, NoElement } from "./list-item.ts";
import { fieldElement, type PathElement } from "./path-element.ts";

/** How two values of a type differ, field by field: no field is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares values that fit their type. */
export function compareTyped(before: unknown, after: unknown, type: FieldType): Comparison {
  const walk = new CompareWalk();
  walk.compare(before, after, type);
  return { added: walk.added.set, modified: walk.modified.set, removed: walk.removed.set };
}

/** The comparison with what a filter leaves of each set. */
export function filterComparison(
  { added, modified, removed }: Comparison,
  filter: (fields: FieldSet) => FieldSet,
): Comparison {
  return { added: filter(added), modified: filter(modified), removed: filter(removed) };
}

/** Undefined is a value that is not there; null is one that is. */
class CompareWalk {
  readonly added: DraftSet = new DraftSet();
  readonly modified: DraftSet = new DraftSet();
  readonly removed: DraftSet = new DraftSet();
  readonly #path: PathElement[] = [];

  compare(left: unknown, right: unknown, type: FieldType): void {
    // One object that both hold is the same all the way down.
    if (left === right) return;
    if (left === undefined) this.#compareAs(formOf(type, right), left, right, type);
    else if (right === undefined) this.#compareAs(formOf(type, left), left, right, type);
    else {
      const [before, after] = [formOf(type, left), formOf(type, right)];
      if (before !== after) this.#compareAs(before, left, right, type);
      this.#compareAs(after, left, right, type);
    }
  }

  #compareAs(form: FormOf, left: unknown, right: unknown, type: FieldType): void {
    if (form === "map") this.#maps(left, right, type.map as MapType);
    else if (form === "list") this.#lists(left, right, type.list as ListType);
    else this.#leaf(left, right);
  }

  #leaf(left: unknown, right: unknown): void {
    if (left === undefined) this.added.add(this.#path);
    else if (right === undefined) this.removed.add(this.#path);
    else if (!sameJson(left, right)) this.modified.add(this.#path);
  }

  /** A map or list that has come or gone, besides what is in it. */
  #whole(left: unknown, right: unknown): void {
    if (left === undefined) this.added.add(this.#path);
    else if (right === undefined) this.removed.add(this.#path);
  }

  #maps(left: unknown, right: unknown, type: MapType): void {
    const before = isObject(left) ? left : undefined;
    const after = isObject(right) ? right : undefined;
    const names = before === undefined ? [] : Object.keys(before);
    const newNames = after === undefined ? [] : Object.keys(after);
    // Empty ones are leaves: so a field that is empty differs from one that is not there.
    if (type.atomic || (names.length === 0 && newNames.length === 0)) {
      this.#leaf(left, right);
      return;
    }
    this.#whole(left, right);
    for (const name of names) this.#child(fieldElement(name), before?.[name], own(after, name), type.fieldType(name));
    for (const name of newNames) {
      if (before !== undefined && Object.hasOwn(before, name)) continue;
      this.#child(fieldElement(name), undefined, after?.[name], type.fieldType(name));
    }
  }

  #child(element: PathElement, left: unknown, right: unknown, type: FieldType | undefined): void {
    if (type === undefined) return;
    this.#path.push(element);
    this.compare(left, right, type);
    this.#path.pop();
  }

  #lists(left: unknown, right: unknown, type: ListType): void {
    const before = Array.isArray(left) ? left : [];
    const after = Array.isArray(right) ? right : [];
    if (type.atomic || (before.length === 0 && after.length === 0)) {
      this.#leaf(left, right);
      return;
    }
    this.#whole(left, right);
    const olds = itemsByElement(type, before);
    const news = itemsByElement(type, after);
    for (const [element, items] of olds) this.#items(element, items, news.get(element) ?? [], type.items);
    for (const [element, items] of news) if (!olds.has(element)) this.#items(element, [], items, type.items);
  }

  /** The items of one name: mostly one on each side; several are compared as a whole. */
  #items(element: PathElement, olds: readonly unknown[], news: readonly unknown[], type: FieldType): void {
    if (olds.length <= 1 && news.length <= 1) {
      this.#child(element, olds[0], news[0], type);
      return;
    }
    const path = [...this.#path, element];
    if (olds.length > 1 && news.length > 1) {
      if (!sameJson(olds, news)) this.modified.add(path);
    } else if (olds.length > 1) {
      if (news.length > 0) this.#child(element, undefined, news[0], type);
      this.removed.add(path);
    } else {
      if (olds.length > 0) this.#child(element, olds[0], undefined, type);
      this.added.add(path);
    }
  }
}

/** Items that cannot be told apart are passed over: they do not fit the type, which was asked before. */
function itemsByElement(type: ListType, items: readonly unknown[]): ReadonlyMap<PathElement, readonly unknown[]> {
  const found = new Map<PathElement, unknown[]>();
  for (const item of items) {
    try {
      const element = itemElement(type, item);
      const same = found.get(element);
      if (same === undefined) found.set(element, [item]);
      else same.push(item);
    } catch (error) {
      if (!(error instanceof NoElement)) throw error;
    }
  }
  return found;
}
