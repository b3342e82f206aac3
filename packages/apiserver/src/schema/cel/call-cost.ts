import { Dictionary, entriesOf, List, Struct, sizeOf, strain, type Value } from "./value.ts";

/** Of a character that is looked at. */
export const traversal = 0.1;
/** Of a character of a regular expression. */
export const regexpFactor = 0.25;
/** Of making a list, a map. */
export const listCost = 10;
export const mapCost = 30;

const traversed = (...sizes: readonly number[]): number => Math.ceil(sizes.reduce((a, b) => a + b, 0) * traversal);
const product = (text: number, pattern: number): number =>
  Math.ceil((1 + text) * traversal) * Math.ceil(pattern * regexpFactor);

/** What walking through a value costs. */
function walk(value: Value | undefined): number {
  strain();
  if (typeof value === "string" || value instanceof Uint8Array) return Math.trunc(value.length * traversal);
  if (value instanceof List) return value.items.reduce((total: number, item) => total + walk(item), 0);
  if (value instanceof Dictionary || value instanceof Struct) {
    return entriesOf(value).reduce((total, [key, each]) => total + walk(key) + walk(each), 0);
  }
  return 1;
}

const ofWalk: ReadonlySet<string> = new Set(["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"]);
const ofText: ReadonlySet<string> = new Set(
  "url lowerAscii upperAscii substring trim startsWith endsWith cidr isIP isCIDR ip quantity isQuantity semver isSemver format strings.quote".split(
    " ",
  ),
);
const ofTextTwice: ReadonlySet<string> = new Set(["replace", "split", "ip.isCanonical"]);
const ofBoth: ReadonlySet<string> = new Set(["_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"]);

/** What a call has cost, in the units of cel-go and k8s.io/apiserver. */
export function callCost(name: string, args: readonly Value[], result: Value): number {
  const [first = null, second = null] = args;
  if (ofWalk.has(name)) return walk(first);
  if (ofText.has(name)) return traversed(sizeOf(first));
  if (ofTextTwice.has(name)) return traversed(sizeOf(first), sizeOf(first));
  if (ofBoth.has(name)) return traversed(Math.min(sizeOf(first), sizeOf(second)));
  switch (name) {
    case "join":
      return traversed(sizeOf(result), sizeOf(result));
    case "find":
    case "findAll":
    case "matches":
      return product(sizeOf(first), sizeOf(second));
    case "contains":
      return traversed(sizeOf(first)) * traversed(sizeOf(second));
    case "@in":
      return second instanceof List ? sizeOf(second) : 1;
    case "_+_":
      return typeof first === "string" || first instanceof Uint8Array ? traversed(sizeOf(first), sizeOf(second)) : 1;
    case "validate":
      return product(sizeOf(second), 60);
    case "sets.contains":
    case "sets.equivalent":
    case "sets.intersects":
      return 1 + sizeOf(first) * sizeOf(second) * (name === "sets.equivalent" ? 2 : 1);
    case "distinct":
      return 1 + sizeOf(first) ** 2;
    case "flatten":
    case "slice":
    case "reverse":
    case "sort":
    case "@sortByAssociatedKeys":
    case "lists.range":
      return 1 + sizeOf(result);
    default:
      return 1;
  }
}
