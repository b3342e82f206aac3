import { isObject, own } from "../schema/plain-object.ts";
import { goTypeText, goValueText } from "./go-text.ts";
import { inapplicablePatch } from "./json-patch.ts";
import {
  type Fields,
  failed,
  noMergeKey,
  patchDirective,
  setElementOrder,
  unknownDirective,
  wrongType,
} from "./strategic-field.ts";

/**
 * The live list whose order counts, once the patch has been merged. On the real server it shares memory with the merged
 * list: items that the patch deletes make room in it for items that it adds.
 */
export function placesAfter(
  live: readonly unknown[],
  patched: readonly unknown[],
  mergeKey: string,
): readonly unknown[] {
  const directive = (item: unknown): unknown => (isObject(item) ? own(item, patchDirective) : undefined);
  if (patched.some((item) => directive(item) === "replace")) return live;
  const keys = (items: readonly unknown[]): ReadonlySet<unknown> => new Set(items.map((item) => keyOf(item, mergeKey)));
  const deleted = keys(patched.filter((item) => directive(item) === "delete"));
  const kept = live.filter((item) => !deleted.has(keyOf(item, mergeKey)));
  const known = keys(kept);
  const added = patched.filter((item) => directive(item) === undefined && !known.has(keyOf(item, mergeKey)));
  return [...kept, ...added].slice(0, live.length);
}

/** The items of a patch must stand in the order that it asks for. */
export function checkOrder(patched: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (order.length === 0 || patched.length === 0) return;
  const kept = patched.filter((item) => !(isObject(item) && item[patchDirective] === "delete"));
  let at = 0;
  for (const place of order) {
    while (isObject(kept[at]) && Object.hasOwn(kept[at] as Fields, patchDirective)) at += 1;
    if (at >= kept.length) return;
    if (keyOf(kept[at], mergeKey) === keyOf(place, mergeKey)) at += 1;
  }
  if (at >= kept.length) return;
  throw failed(
    `The order in patch list:\n${goValueText(patched)}\n doesn't match ${setElementOrder} list:\n${goValueText(order)}\n`,
  );
}

export function keyOf(item: unknown, mergeKey: string): unknown {
  if (mergeKey === "") return item;
  if (!isObject(item)) throw wrongType("map[string]interface {}", item);
  if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  return item[mergeKey];
}

/** Whether the items of both lists are objects; they must be all of one type. */
export function holdsObjects(...lists: readonly (readonly unknown[])[]): boolean {
  const items = lists.flat(1);
  const [first] = items;
  if (Array.isArray(first)) throw inapplicablePatch();
  const type = goTypeText(first);
  if (items.some((item) => goTypeText(item) !== type)) {
    throw failed(`list element types are not identical: ${goValueText(lists)}`);
  }
  return isObject(first);
}

/** Items with `$patch`: they delete items of their key, or say that the list replaces the other. */
export function obeyDirectives(
  original: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string,
): { readonly live: readonly unknown[]; readonly items: readonly Fields[] } {
  const deleted = new Set<unknown>();
  let replaces = false;
  const items: Fields[] = [];
  for (const item of patch as readonly Fields[]) {
    if (!Object.hasOwn(item, patchDirective)) {
      items.push(item);
      continue;
    }
    switch (item[patchDirective]) {
      case "delete":
        deleted.add(keyOf(item, mergeKey));
        break;
      case "replace":
        replaces = true;
        break;
      case "merge":
        throw failed("merging lists cannot yet be specified in the patch");
      default:
        throw unknownDirective(item[patchDirective], item);
    }
  }
  if (replaces) return { live: items, items: [] };
  return { live: original.filter((one) => !deleted.has(own(one as Fields, mergeKey))), items };
}

export interface WantedOrder {
  /** Of the items that the patch names. */
  readonly order: readonly unknown[];
  /** Of all others, and between them and those of the patch. */
  readonly live: readonly unknown[];
  /** Empty for scalars. */
  readonly mergeKey: string;
}

/**
 * The items of a merged list in the order that a patch asks for. Those that it does not name keep their order, and each
 * stands before the first of the named ones that came after it in the live list, as far as both orders allow that.
 */
export function orderLike(items: readonly unknown[], { order, live, mergeKey }: WantedOrder): readonly unknown[] {
  const keyOf = (item: unknown): unknown => (mergeKey === "" ? item : isObject(item) ? item[mergeKey] : undefined);
  const placesOf = (list: readonly unknown[]): ReadonlyMap<unknown, number> => {
    const places = new Map<unknown, number>();
    for (const [place, item] of list.entries()) if (!places.has(keyOf(item))) places.set(keyOf(item), place);
    return places;
  };
  const wanted = placesOf(order);
  const before = placesOf(live);
  const byPlace = (places: ReadonlyMap<unknown, number>) => (a: unknown, b: unknown) =>
    (places.get(keyOf(a)) ?? 0) - (places.get(keyOf(b)) ?? 0);
  const named = items.filter((item) => wanted.has(keyOf(item))).sort(byPlace(wanted));
  const others = items.filter((item) => !wanted.has(keyOf(item))).sort(byPlace(before));

  const result: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const place = before.get(keyOf(item));
    while (next < others.length && place !== undefined && (before.get(keyOf(others[next])) ?? Infinity) < place) {
      result.push(others[next]);
      next += 1;
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}
