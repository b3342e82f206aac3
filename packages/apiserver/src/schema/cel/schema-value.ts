import { parseGoDuration } from "../go-duration.ts";
import { isObject, own } from "../plain-object.ts";
import type { ServedSchema } from "../served-schema.ts";
import { parseTimestamp } from "./conversion.ts";
import { escapeName } from "./field-name.ts";
import { withObjectMeta } from "./schema-type.ts";
import { CelError, Dictionary, Duration, List, Struct, type Value } from "./value.ts";

/**
 * A value of JSON as rules see it, by its schema: integers are ints, numbers doubles, times timestamps. What is in it
 * is converted when it is looked at.
 *
 * @throws CelError where the value is not of its schema
 */
export function schemaValue(schema: ServedSchema, json: unknown): Value {
  if (json === null || json === undefined) {
    if (schema.nullable === true) return null;
    throw new CelError("invalid data, got null for schema with nullable=false");
  }
  if (schema["x-kubernetes-int-or-string"] === true) {
    if (typeof json === "string") return json;
    if (typeof json === "number" && Number.isInteger(json)) return BigInt(json);
    throw new CelError("invalid data, expected XIntOrString value to be either a string or integer");
  }
  switch (schema.type) {
    case "object":
      if (isObject(json)) return objectValue(schema, json);
      throw new CelError("invalid data, expected a map for the provided schema with type=object");
    case "array":
      if (Array.isArray(json)) return listValue(schema, json);
      throw new CelError("invalid data, expected an array for the provided schema with type=array");
    case "string":
      if (typeof json === "string") return stringValue(schema, json);
      throw new CelError(`invalid data, expected string, got ${typeof json}`);
    case "number":
      if (typeof json === "number") return json;
      throw new CelError(`invalid data, expected float, got ${typeof json}`);
    case "integer":
      if (typeof json === "number" && Number.isInteger(json)) return BigInt(json);
      throw new CelError(`invalid data, expected int, got ${typeof json}`);
    case "boolean":
      if (typeof json === "boolean") return json;
      throw new CelError(`invalid data, expected bool, got ${typeof json}`);
    default:
      throw new CelError("invalid data, no type in schema");
  }
}

function objectValue(schema: ServedSchema, json: Readonly<Record<string, unknown>>): Value {
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const { properties = {}, additionalProperties } = isEmbedded ? withObjectMeta(schema) : schema;
  if (additionalProperties !== undefined) {
    return new Dictionary(
      Object.entries(json).map(([name, each]) => [name, schemaValue(additionalProperties, each)] as const),
    );
  }
  const seen = escapedNamesOf(properties);
  const names = new Map<string, string>();
  for (const name of Object.keys(json)) {
    const escaped = seen.get(name);
    // A field that is null is as good as absent.
    if (escaped !== undefined && (json[name] ?? null) !== null) names.set(escaped, name);
  }
  return new Struct("object", [...names.keys()], (escaped) => {
    const name = names.get(escaped);
    const field = name === undefined ? undefined : own(properties, name);
    return name === undefined || field === undefined ? undefined : schemaValue(field, json[name]);
  });
}

type Properties = NonNullable<ServedSchema["properties"]>;

const escapedNames = new WeakMap<Properties, ReadonlyMap<string, string>>();

/** What rules call each property that they can see, looked up once for each schema. */
function escapedNamesOf(properties: Properties): ReadonlyMap<string, string> {
  let names = escapedNames.get(properties);
  if (names === undefined) {
    names = new Map(
      Object.keys(properties).flatMap((name) => {
        const escaped = escapeName(name);
        return escaped === undefined ? [] : [[name, escaped] as const];
      }),
    );
    escapedNames.set(properties, names);
  }
  return names;
}

function listValue(schema: ServedSchema, json: readonly unknown[]): Value {
  const { items } = schema;
  if (items === undefined) throw new CelError("invalid array type, expected Items with a non-empty Schema");
  const type = schema["x-kubernetes-list-type"];
  const keys = (schema["x-kubernetes-list-map-keys"] ?? []).map((key) => escapeName(key) ?? key);
  const identity = type === "map" ? keys : type === "set" ? "set" : "place";
  return new List(json.length, (index) => schemaValue(items, json[index]), identity);
}

function stringValue({ format }: ServedSchema, text: string): Value {
  switch (format) {
    case "byte":
      return Uint8Array.from(Buffer.from(text, "base64"));
    case "duration": {
      const nanos = parseGoDuration(text);
      if (nanos === undefined) throw new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
      return new Duration(nanos);
    }
    case "date":
    case "date-time": {
      const time = parseTimestamp(format === "date" ? `${text}T00:00:00Z` : text);
      if (time === undefined) throw new CelError(`Invalid ${format} formatted string ${text}`);
      return time;
    }
    default:
      return text;
  }
}

/** JSON that no schema describes, as expressions see it: whole numbers are ints. */
export function plainValue(json: unknown): Value {
  if (json === null || json === undefined) return null;
  if (typeof json === "number") return Number.isInteger(json) ? BigInt(json) : json;
  if (typeof json === "boolean" || typeof json === "string") return json;
  if (Array.isArray(json)) return new List(json.length, (index) => plainValue(json[index]));
  if (!isObject(json)) throw new CelError(`no CEL value for ${typeof json}`);
  return new Dictionary(Object.entries(json).map(([name, each]) => [name, plainValue(each)] as const));
}
