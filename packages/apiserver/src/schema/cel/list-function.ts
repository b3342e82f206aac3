import { asInt, type CelFunction, checkedInt, checkedUint, noOverload } from "./function.ts";
import { compare, durationOf } from "./operator.ts";
import { CelError, Duration, equals, List, Optional, Uint, type Value } from "./value.ts";

function asList(value: Value | undefined): List {
  if (value instanceof List) return value;
  throw noOverload();
}

function isSorted([list]: readonly Value[]): Value {
  const { items } = asList(list);
  return items.every((item, index) => index === 0 || compare(items[index - 1], item) <= 0);
}

function sum([list]: readonly Value[]): Value {
  const { items } = asList(list);
  const [first] = items;
  if (first === undefined) return 0n;
  if (items.every((item) => typeof item === "number")) return items.reduce((total, item) => total + item, 0);
  if (items.every((item) => item instanceof Uint)) {
    return new Uint(items.reduce((total, item) => checkedUint(total + item.value), 0n));
  }
  if (items.every((item) => item instanceof Duration))
    return durationOf(items.reduce((total, item) => total + item.nanos, 0n));
  return items.reduce((total: bigint, item) => checkedInt(total + asInt(item)), 0n);
}

function extreme(name: string, sign: number): CelFunction {
  return ([list]) => {
    const [first, ...rest] = asList(list).items;
    if (first === undefined) throw new CelError(`${name} called on empty list`);
    return rest.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best), first);
  };
}

function slice([list, from, to]: readonly Value[]): Value {
  const { items } = asList(list);
  const [start, end] = [Number(asInt(from)), Number(asInt(to))];
  if (start < 0 || end < 0) throw new CelError(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    throw new CelError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > items.length) throw new CelError(`cannot slice(${start}, ${end}), list is length ${items.length}`);
  return List.of(items.slice(start, end));
}

function flatten(list: List, depth: number): readonly Value[] {
  return list.items.flatMap((item) => (item instanceof List && depth > 0 ? flatten(item, depth - 1) : [item]));
}

function distinct([list]: readonly Value[]): Value {
  const found: Value[] = [];
  for (const item of asList(list).items) if (!found.some((one) => equals(one, item))) found.push(item);
  return List.of(found);
}

function sortBy([list, keys]: readonly Value[]): Value {
  const items = asList(list).items;
  const order = asList(keys);
  const places = items.map((_, index) => index).sort((a, b) => compare(order.at(a), order.at(b)) || a - b);
  return List.of(places.map((place) => items[place] ?? null));
}

/** Longer ranges are refused, lest one call fill the memory. */
const longestRange = 1_000_000n;

function range([count]: readonly Value[]): Value {
  const size = asInt(count);
  if (size > longestRange) throw new CelError(`lists.range(${size}) is too long`);
  return List.of(Array.from({ length: Math.max(0, Number(size)) }, (_, index) => BigInt(index)));
}

function containsAll(list: List, wanted: List): boolean {
  return wanted.items.every((item) => list.items.some((one) => equals(one, item)));
}

/** Functions of lists and of lists as sets. */
export const listFunctions: Readonly<Record<string, CelFunction>> = {
  isSorted,
  sum,
  max: extreme("max", 1),
  min: extreme("min", -1),
  slice,
  flatten: ([list, depth]) => List.of(flatten(asList(list), depth === undefined ? 1 : Number(asInt(depth)))),
  distinct,
  reverse: ([list]) => List.of([...asList(list).items].reverse()),
  first: ([list]) => (asList(list).size === 0 ? Optional.none : new Optional(asList(list).at(0))),
  last: ([list]) => (asList(list).size === 0 ? Optional.none : new Optional(asList(list).at(asList(list).size - 1))),
  sort: ([list]) => sortBy([asList(list), asList(list)]),
  "@sortByAssociatedKeys": sortBy,
  "lists.range": range,
  "sets.contains": ([list, wanted]) => containsAll(asList(list), asList(wanted)),
  "sets.equivalent": ([a, b]) => containsAll(asList(a), asList(b)) && containsAll(asList(b), asList(a)),
  "sets.intersects": ([a, b]) => asList(a).items.some((item) => asList(b).items.some((one) => equals(one, item))),
};
