import { CodedError } from "../error/coded-error.ts";

/** Where a value stands, for errors: `users[1].user.token` of `kubeconfig /a/b`. */
export interface FieldPlace {
  readonly source: string;
  readonly path: string;
}

/**
 * One object of a configuration, read field by field. Every wrong type is an error that names source and field, never
 * the value.
 */
export interface ConfigFields {
  readonly place: FieldPlace;
  /** Absent, null and empty are all undefined. @throws CodedError `InvalidConfig`, as all of these. */
  string(name: string): string | undefined;
  flag(name: string): boolean | undefined;
  strings(name: string): readonly string[];
  /** A map from text to lists of text. */
  stringLists(name: string): Readonly<Record<string, readonly string[]>>;
  /** An object; one without fields when absent. */
  child(name: string): ConfigFields;
  /** A list of objects. */
  children(name: string): readonly ConfigFields[];
  has(name: string): boolean;
  /** The value as it is. */
  raw(name: string): unknown;
}

export function invalidConfig(place: FieldPlace, problem: string): CodedError {
  return new CodedError(
    "InvalidConfig",
    `Cannot read ${place.source}: ${place.path === "" ? "" : `${place.path} `}${problem}`,
  );
}

/** The place of a field of the object at this place. */
export function fieldOf(place: FieldPlace, name: string): FieldPlace {
  return { source: place.source, path: place.path === "" ? name : `${place.path}.${name}` };
}

function elementOf(place: FieldPlace, index: number): FieldPlace {
  return { source: place.source, path: `${place.path}[${index}]` };
}

function nameOfType(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return `a ${typeof value}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a value that must be an object; undefined and null count as one without fields. */
export function configFields(value: unknown, place: FieldPlace): ConfigFields {
  const wrong = (found: unknown, at: FieldPlace, give: string): CodedError =>
    invalidConfig(at, `is ${nameOfType(found)}, give ${give}`);
  if (value !== undefined && value !== null && !isRecord(value)) throw wrong(value, place, "an object");
  const record = value ?? {};

  const raw = (name: string): unknown => (Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined);
  const listOf = <T>(found: unknown, at: FieldPlace, read: (item: unknown, at: FieldPlace) => T): readonly T[] => {
    if (found === undefined || found === null) return [];
    if (!Array.isArray(found)) throw wrong(found, at, "a list");
    return found.map((item: unknown, index) => read(item, elementOf(at, index)));
  };
  const textOf = (found: unknown, at: FieldPlace): string => {
    if (typeof found !== "string") throw wrong(found, at, "a string");
    return found;
  };

  return {
    place,
    raw,
    has: (name) => raw(name) !== undefined,
    string(name): string | undefined {
      const found = raw(name);
      return found === undefined ? undefined : textOf(found, fieldOf(place, name)) || undefined;
    },
    flag(name): boolean | undefined {
      const found = raw(name);
      if (found === undefined || typeof found === "boolean") return found;
      throw wrong(found, fieldOf(place, name), "true or false");
    },
    strings: (name) => listOf(raw(name), fieldOf(place, name), textOf),
    stringLists(name): Readonly<Record<string, readonly string[]>> {
      const found = raw(name);
      const at = fieldOf(place, name);
      if (found === undefined) return {};
      if (!isRecord(found)) throw wrong(found, at, "an object");
      return Object.fromEntries(
        Object.entries(found).map(([key, list]) => [key, listOf(list, fieldOf(at, key), textOf)]),
      );
    },
    child: (name) => configFields(raw(name), fieldOf(place, name)),
    children: (name) => listOf(raw(name), fieldOf(place, name), configFields),
  };
}
