/** A type of the checker. */
export interface CelType {
  readonly kind:
    | "bool"
    | "bytes"
    | "double"
    | "duration"
    | "dyn"
    | "error"
    | "int"
    | "list"
    | "map"
    | "null"
    | "opaque"
    | "param"
    | "string"
    | "struct"
    | "timestamp"
    | "type"
    | "uint";
  /** Of structs, opaque types and parameters; of others their kind. */
  readonly name: string;
  readonly params: readonly CelType[];
  /** Of structs, by names that CEL can say. */
  readonly fields?: ReadonlyMap<string, CelType>;
  /** The most characters, items or entries that a value of a schema can have. */
  readonly maxElements?: number;
  /** The fewest bytes of a value of a schema in JSON. */
  readonly minSize?: number;
}

const simple = (kind: CelType["kind"], name: string = kind): CelType => ({ kind, name, params: [] });

export const dyn: CelType = simple("dyn");
export const error: CelType = simple("error", "!error!");
export const bool: CelType = simple("bool");
export const int: CelType = simple("int");
export const string: CelType = simple("string");

export function listType(item: CelType): CelType {
  return { kind: "list", name: "list", params: [item] };
}

export function mapType(key: CelType, value: CelType): CelType {
  return { kind: "map", name: "map", params: [key, value] };
}

export function optionalType(value: CelType): CelType {
  return { kind: "opaque", name: "optional_type", params: [value] };
}

export function typeParam(name: string): CelType {
  return simple("param", name);
}

export function isOptional(type: CelType): boolean {
  return type.kind === "opaque" && type.name === "optional_type";
}

const opaqueNames: Readonly<Record<string, string>> = {
  ip: "net.IP",
  cidr: "net.CIDR",
  url: "kubernetes.URL",
  quantity: "kubernetes.Quantity",
  semver: "kubernetes.Semver",
  format: "kubernetes.NamedFormat",
  authorizer: "kubernetes.authorization.Authorizer",
  pathCheck: "kubernetes.authorization.PathCheck",
  groupCheck: "kubernetes.authorization.GroupCheck",
  resourceCheck: "kubernetes.authorization.ResourceCheck",
  decision: "kubernetes.authorization.Decision",
};

/**
 * Reads the notation of the table of functions: `list(A)`, `map(string, dyn)`, `optional(V)`, `quantity`. Capitals are
 * parameters.
 */
export function readType(text: string): CelType {
  const [, name = "", inner] = /^([A-Za-z]+)(?:\((.*)\))?$/.exec(text.trim()) ?? [];
  const params = inner === undefined ? [] : splitTypes(inner).map(readType);
  if (/^[A-Z]$/.test(name)) return typeParam(name);
  if (name === "optional") return optionalType(params[0] ?? dyn);
  if (Object.hasOwn(opaqueNames, name)) return { kind: "opaque", name: opaqueNames[name] ?? name, params };
  return { kind: name as CelType["kind"], name, params };
}

/** Splits at the commas that stand in no brackets. */
export function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const [index, character] of [...text].entries()) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "," && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  const last = text.slice(start);
  return last.trim() === "" ? parts : [...parts, last];
}

/** A type as cel-go prints it: `list(int)`, `map(string, dyn)`. */
export function formatType(type: CelType): string {
  return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(", ")})`;
}

export function isExactly(a: CelType, b: CelType): boolean {
  return (
    a === b ||
    (a.kind === b.kind &&
      a.name === b.name &&
      a.params.length === b.params.length &&
      a.params.every((param, index) => isExactly(param, b.params[index] ?? dyn)))
  );
}
