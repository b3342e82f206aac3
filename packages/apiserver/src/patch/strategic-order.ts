import { isObject } from "../schema/plain-object.ts";

export interface WantedOrder {
  /** Of the items that the patch names. */
  readonly order: readonly unknown[];
  /** Of all others, and between them and those of the patch. */
  readonly live: readonly unknown[];
  /** Empty for scalars. */
  readonly mergeKey: string;
}

/**
 * The items of a merged list in the order that a patch asks for. Those that it does not name keep their order, and each stands
 * before the first of the named ones that came after it in the live list, as far as both orders allow that.
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
