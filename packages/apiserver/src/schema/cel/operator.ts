import { goNumber } from "../../failure/go-number.ts";
import { type CelFunction, checkedInt, checkedUint, noOverload } from "./function.ts";
import {
  CelError,
  Collecting,
  compareNumbers,
  Dictionary,
  Duration,
  entriesOf,
  equals,
  List,
  Opaque,
  Optional,
  Struct,
  sizeOf,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from "./value.ts";

/**
 * Negative, zero or positive.
 *
 * @throws CelError `no such overload` for values that have no order; `NaN values cannot be ordered`.
 */
export function compare(a: Value | undefined, b: Value | undefined): number {
  if (isNumber(a) && isNumber(b)) {
    const order = compareNumbers(a, b);
    if (order === undefined) throw new CelError("NaN values cannot be ordered");
    return order;
  }
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if ((a instanceof Timestamp && b instanceof Timestamp) || (a instanceof Duration && b instanceof Duration)) {
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  }
  throw noOverload();
}

function isNumber(value: Value | undefined): value is Uint | bigint | number {
  return typeof value === "bigint" || typeof value === "number" || value instanceof Uint;
}

/** 0001-01-01 to 9999-12-31. */
const earliest: bigint = -62_135_596_800n * 1_000_000_000n;
const latest: bigint = 253_402_300_799n * 1_000_000_000n + 999_999_999n;

/** @throws CelError `timestamp overflow` */
export function timestampOf(nanos: bigint): Timestamp {
  if (nanos < earliest || nanos > latest) throw new CelError("timestamp overflow");
  return new Timestamp(nanos);
}

/** @throws CelError `duration overflow` */
export function durationOf(nanos: bigint): Duration {
  if (BigInt.asIntN(64, nanos) !== nanos) throw new CelError("duration overflow");
  return new Duration(nanos);
}

function add(a: Value | undefined, b: Value | undefined): Value {
  if (typeof a === "bigint" && typeof b === "bigint") return checkedInt(a + b);
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (a instanceof Uint && b instanceof Uint) return new Uint(checkedUint(a.value + b.value));
  if (a instanceof Uint8Array && b instanceof Uint8Array) return new Uint8Array([...a, ...b]);
  if (a instanceof Collecting && b instanceof List) {
    a.items.push(...b.items);
    return a;
  }
  if (a instanceof List && b instanceof List) return joined(a, b);
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos + b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return timestampOf(a.nanos + b.nanos);
  if (a instanceof Duration && b instanceof Timestamp) return timestampOf(a.nanos + b.nanos);
  throw noOverload();
}

/**
 * Lists by place are appended; of sets and lists by keys, items of the second replace and follow those of the first.
 */
function joined(a: List, b: List): List {
  const { identity } = a;
  if (identity === "place") {
    return new List(a.size + b.size, (index) => (index < a.size ? a.at(index) : b.at(index - a.size)));
  }
  const items = [...a.items];
  for (const item of b.items) {
    const same = items.findIndex((one) => (identity === "set" ? equals(one, item) : haveSameKeys(one, item, identity)));
    if (same === -1) items.push(item);
    else if (identity !== "set") items[same] = item;
  }
  return List.of(items, identity);
}

function haveSameKeys(a: Value, b: Value, keys: readonly string[]): boolean {
  if (!(a instanceof Struct) || !(b instanceof Struct)) return false;
  return keys.every((key) => {
    const [left, right] = [a.find(key), b.find(key)];
    return left === undefined || right === undefined ? left === right : equals(left, right);
  });
}

function subtract(a: Value | undefined, b: Value | undefined): Value {
  if (typeof a === "bigint" && typeof b === "bigint") return checkedInt(a - b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (a instanceof Uint && b instanceof Uint) return new Uint(checkedUint(a.value - b.value));
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return timestampOf(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return durationOf(a.nanos - b.nanos);
  throw noOverload();
}

function multiply(a: Value | undefined, b: Value | undefined): Value {
  if (typeof a === "bigint" && typeof b === "bigint") return checkedInt(a * b);
  if (typeof a === "number" && typeof b === "number") return a * b;
  if (a instanceof Uint && b instanceof Uint) return new Uint(checkedUint(a.value * b.value));
  throw noOverload();
}

function divide(a: Value | undefined, b: Value | undefined): Value {
  if (typeof a === "number" && typeof b === "number") return a / b;
  if (b === 0n || (b instanceof Uint && b.value === 0n)) throw new CelError("division by zero");
  if (typeof a === "bigint" && typeof b === "bigint") return checkedInt(a / b);
  if (a instanceof Uint && b instanceof Uint) return new Uint(a.value / b.value);
  throw noOverload();
}

function modulo(a: Value | undefined, b: Value | undefined): Value {
  if (b === 0n || (b instanceof Uint && b.value === 0n)) throw new CelError("modulus by zero");
  if (typeof a === "bigint" && typeof b === "bigint") return a % b;
  if (a instanceof Uint && b instanceof Uint) return new Uint(a.value % b.value);
  throw noOverload();
}

/** What is at an index or key; undefined where nothing is. */
function findAt(container: Value | undefined, index: Value | undefined): Value | undefined {
  if (index === undefined) throw noOverload();
  if (container instanceof List) {
    const place = placeOf(index);
    return place >= 0n && place < BigInt(container.size) ? container.at(Number(place)) : undefined;
  }
  if (container instanceof Dictionary) return container.find(index);
  if (container instanceof Struct) return typeof index === "string" ? container.find(index) : undefined;
  throw noOverload();
}

function placeOf(index: Value): bigint {
  if (typeof index === "bigint") return index;
  if (index instanceof Uint) return index.value;
  if (typeof index === "number" && Number.isInteger(index)) return BigInt(index);
  throw new CelError(`unsupported index type '${typeName(index)}' in list`);
}

/** How a key or index is printed in an error. */
function keyText(key: Value | undefined): string {
  if (key instanceof Uint) return String(key.value);
  return typeof key === "number" ? goNumber(key) : String(key);
}

function at(container: Value | undefined, index: Value | undefined): Value {
  if (container instanceof Optional)
    return container.value === undefined ? Optional.none : optionalAt(container.value, index);
  const found = findAt(container, index);
  if (found !== undefined) return found;
  throw new CelError(
    container instanceof List ? `index out of bounds: ${keyText(index)}` : `no such key: ${keyText(index)}`,
  );
}

function optionalAt(container: Value | undefined, index: Value | undefined): Value {
  if (container instanceof Optional)
    return container.value === undefined ? Optional.none : optionalAt(container.value, index);
  const found = findAt(container, index);
  return found === undefined ? Optional.none : new Optional(found);
}

function contains(item: Value | undefined, container: Value | undefined): boolean {
  if (item === undefined) throw noOverload();
  if (container instanceof List) return container.items.some((one) => equals(one, item));
  if (container instanceof Dictionary) return container.find(item) !== undefined;
  if (container instanceof Struct) return typeof item === "string" && container.find(item) !== undefined;
  throw noOverload();
}

function negate(value: Value | undefined): Value {
  if (typeof value === "bigint") return checkedInt(-value);
  if (typeof value === "number") return -value;
  throw noOverload();
}

function insert(args: readonly Value[]): Value {
  const [target, key, value] = args;
  if (!(target instanceof Dictionary) || key === undefined) throw noOverload();
  const added =
    value === undefined ? (key instanceof Dictionary ? entriesOf(key) : undefined) : [[key, value] as const];
  if (added === undefined) throw noOverload();
  for (const [name] of added) {
    if (target.find(name) !== undefined) throw new CelError(`insert failed: key ${keyText(name)} already exists`);
  }
  return new Dictionary([...entriesOf(target), ...added]);
}

function size(value: Value | undefined): bigint {
  const sized =
    typeof value === "string" ||
    value instanceof Uint8Array ||
    value instanceof List ||
    value instanceof Dictionary ||
    value instanceof Struct;
  if (!sized) throw noOverload();
  return BigInt(sizeOf(value));
}

function isZero(value: Value): boolean {
  if (value === null || value === "" || value === 0 || value === 0n || value === false) return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Timestamp || value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Optional) return value.value === undefined;
  if (value instanceof Opaque || value instanceof TypeValue || typeof value !== "object") return false;
  return sizeOf(value) === 0;
}

function unwrap([list]: readonly Value[]): Value {
  if (!(list instanceof List)) throw noOverload();
  return List.of(
    list.items.flatMap((item) => (item instanceof Optional && item.value !== undefined ? [item.value] : [])),
  );
}

function asOptional(value: Value | undefined): Optional {
  if (value instanceof Optional) return value;
  throw noOverload();
}

/** Operators that work on finished values, and the functions of optionals. */
export const operators: Readonly<Record<string, CelFunction>> = {
  "!_": ([value]) => {
    if (typeof value !== "boolean") throw noOverload();
    return !value;
  },
  "_==_": ([a = null, b = null]) => equals(a, b),
  "_!=_": ([a = null, b = null]) => !equals(a, b),
  "_<_": ([a, b]) => compare(a, b) < 0,
  "_<=_": ([a, b]) => compare(a, b) <= 0,
  "_>_": ([a, b]) => compare(a, b) > 0,
  "_>=_": ([a, b]) => compare(a, b) >= 0,
  "_+_": ([a, b]) => add(a, b),
  "_-_": ([a, b]) => subtract(a, b),
  "_*_": ([a, b]) => multiply(a, b),
  "_/_": ([a, b]) => divide(a, b),
  "_%_": ([a, b]) => modulo(a, b),
  "-_": ([value]) => negate(value),
  "_[_]": ([container, index]) => at(container, index),
  "_[?_]": ([container, index]) => optionalAt(container, index),
  "@in": ([item, container]) => contains(item, container),
  "cel.@mapInsert": insert,
  size: ([value]) => size(value),
  "optional.of": ([value]) => new Optional(value),
  "optional.none": () => Optional.none,
  "optional.ofNonZeroValue": ([value = null]) => (isZero(value) ? Optional.none : new Optional(value)),
  "optional.unwrap": unwrap,
  unwrapOpt: unwrap,
  hasValue: ([value]) => asOptional(value).value !== undefined,
  value: ([value]) => {
    const { value: inner } = asOptional(value);
    if (inner === undefined) throw new CelError("optional.none() dereference");
    return inner;
  },
};
