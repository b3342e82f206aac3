/** A failure of an evaluation, in the words of cel-go: `no such key: a`, `index out of bounds: 3`. */
export class CelError extends Error {
  override readonly name = "CelError";
}

/** The evaluation of an expression went on for longer than it may. */
export class CostExceeded extends CelError {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** What one evaluation may compare and print: values that hold one another many times are larger than they cost. */
const mostEffort = 5_000_000;
/**
 * Of the evaluation that runs: there is one at a time, since evaluations are synchronous, and one within another has
 * its own.
 */
let effort = 0;

/** Counts what this evaluation looks at, and nothing of any other one. */
export function measured<T>(evaluate: () => T): T {
  const outer = effort;
  effort = 0;
  try {
    return evaluate();
  } finally {
    effort = outer;
  }
}

/** @throws CostExceeded when the evaluation has looked at too many values. */
export function strain(): void {
  effort += 1;
  if (effort > mostEffort) throw new CostExceeded();
}

/** An unsigned integer; CEL's int is a bigint, its double a number. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds since the Unix epoch. */
export class Timestamp {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** Nanoseconds. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Optional {
  static readonly none: Optional = new Optional(undefined);
  /** Undefined: none. */
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A type as a value: `type(1) == int`. */
export class TypeValue {
  readonly type: string;

  constructor(type: string) {
    this.type = type;
  }
}

/** A value of one of the Kubernetes libraries: an IP address, a CIDR, a URL, a quantity, a version, a format. */
export class Opaque {
  /** `net.IP`, `kubernetes.Quantity` … */
  readonly type: string;
  readonly content: unknown;
  /** Two values are equal when these are. */
  readonly identity: string;

  constructor(type: string, content: unknown, identity: string) {
    this.type = type;
    this.content = content;
    this.identity = identity;
  }
}

/** How items of a list of a Kubernetes object count: by place, as a set, or by their keys (escaped names). */
export type Identity = readonly string[] | "place" | "set";

export class List {
  readonly size: number;
  readonly identity: Identity;
  readonly #item: (index: number) => Value;
  #items: Value[] | undefined;

  constructor(size: number, item: (index: number) => Value, identity: Identity = "place") {
    this.size = size;
    this.identity = identity;
    this.#item = item;
  }

  static of(items: readonly Value[], identity: Identity = "place"): List {
    return new List(items.length, (index) => items[index] ?? null, identity);
  }

  at(index: number): Value {
    this.#items ??= new Array<Value>(this.size);
    const known = this.#items[index];
    if (known !== undefined) return known;
    const value = this.#item(index);
    this.#items[index] = value;
    return value;
  }

  get items(): readonly Value[] {
    return Array.from({ length: this.size }, (_, index) => this.at(index));
  }
}

/** The list that a loop collects; it grows in place, since nothing else sees it meanwhile. */
export class Collecting {
  readonly items: Value[] = [];
}

export class Dictionary {
  /** By the text of the key. */
  readonly entries: ReadonlyMap<string, readonly [Value, Value]>;

  constructor(entries: Iterable<readonly [Value, Value]>) {
    this.entries = new Map([...entries].map((entry) => [keyText(entry[0]), entry]));
  }

  get size(): number {
    return this.entries.size;
  }

  find(key: Value): Value | undefined {
    return this.entries.get(keyText(key))?.[1];
  }
}

/** An object of a schema; its fields have names that CEL can say. */
export class Struct {
  readonly type: string;
  readonly names: readonly string[];
  readonly #field: (name: string) => Value | undefined;
  readonly #known = new Map<string, Value | undefined>();

  constructor(type: string, names: readonly string[], field: (name: string) => Value | undefined) {
    this.type = type;
    this.names = names;
    this.#field = field;
  }

  get size(): number {
    return this.names.length;
  }

  find(name: string): Value | undefined {
    if (!this.#known.has(name)) this.#known.set(name, this.#field(name));
    return this.#known.get(name);
  }
}

export type Value =
  | Collecting
  | Dictionary
  | Duration
  | List
  | Opaque
  | Optional
  | Struct
  | Timestamp
  | TypeValue
  | Uint
  | Uint8Array
  | bigint
  | boolean
  | null
  | number
  | string;

/** Numbers that are equal are one key, whatever their type. */
function keyText(key: Value): string {
  if (typeof key === "string") return `s${key}`;
  if (typeof key === "boolean") return `b${key}`;
  if (typeof key === "bigint") return `n${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === "number") return `n${Number.isInteger(key) ? BigInt(key) : key}`;
  throw new CelError(`unsupported key type: ${typeName(key)}`);
}

/** The name of a value's type, as `type()` gives it. */
export function typeName(value: Value): string {
  if (value === null) return "null_type";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
      break;
  }
  if (value instanceof Uint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof List || value instanceof Collecting) return "list";
  if (value instanceof Dictionary) return "map";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof Duration) return "google.protobuf.Duration";
  if (value instanceof Optional) return "optional_type";
  if (value instanceof TypeValue) return "type";
  return value.type;
}

function isNumeric(value: Value): value is Uint | bigint | number {
  return typeof value === "bigint" || typeof value === "number" || value instanceof Uint;
}

function whole(value: Uint | bigint): bigint {
  return value instanceof Uint ? value.value : value;
}

/** Negative, zero or positive; undefined for NaN. */
export function compareNumbers(a: Uint | bigint | number, b: Uint | bigint | number): number | undefined {
  const left = typeof a === "number" ? a : whole(a);
  const right = typeof b === "number" ? b : whole(b);
  if (Number.isNaN(left) || Number.isNaN(right)) return undefined;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Whether two values are equal; those of different types are not, but for numbers. */
export function equals(a: Value, b: Value): boolean {
  strain();
  if (isNumeric(a) || isNumeric(b)) return isNumeric(a) && isNumeric(b) && compareNumbers(a, b) === 0;
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (a instanceof List) return b instanceof List && listsEqual(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Struct || a instanceof Dictionary) {
    return (b instanceof Struct || b instanceof Dictionary) && mapsEqual(a, b);
  }
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.type === b.type;
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false;
    return a.value === undefined || b.value === undefined ? a.value === b.value : equals(a.value, b.value);
  }
  if (a instanceof Opaque) return b instanceof Opaque && a.type === b.type && a.identity === b.identity;
  return false;
}

function listsEqual(a: List, b: List): boolean {
  if (a.size !== b.size) return false;
  if (a.identity === "place") return a.items.every((item, index) => equals(item, b.at(index)));
  // Sets and lists by keys are equal in whatever order.
  return a.items.every((item) => b.items.some((other) => equals(item, other)));
}

function mapsEqual(a: Dictionary | Struct, b: Dictionary | Struct): boolean {
  if (a.size !== b.size) return false;
  return entriesOf(a).every(([key, value]) => {
    const other = b instanceof Struct ? (typeof key === "string" ? b.find(key) : undefined) : b.find(key);
    return other !== undefined && equals(value, other);
  });
}

/** The entries of a map or the fields of an object. */
export function entriesOf(value: Dictionary | Struct): readonly (readonly [Value, Value])[] {
  if (value instanceof Dictionary) return [...value.entries.values()];
  return value.names.flatMap((name) => {
    const field = value.find(name);
    return field === undefined ? [] : [[name, field] as const];
  });
}

/** What `size()` gives: characters, bytes, items or entries; 1 for what has no size. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") {
    let length = 0;
    for (const _ of value) length += 1;
    return length;
  }
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof List || value instanceof Dictionary || value instanceof Struct) return value.size;
  if (value instanceof Collecting) return value.items.length;
  if (value instanceof Optional && value.value !== undefined) return sizeOf(value.value);
  return 1;
}
