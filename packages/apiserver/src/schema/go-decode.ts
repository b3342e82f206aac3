import { isDeepStrictEqual } from "node:util";
import { formatQuantity, parseQuantity } from "farwatch";
import { formatGoDuration, parseGoDuration } from "./go-duration.ts";
import { type GoTime, parseGoMicroTime, parseGoTime } from "./go-time.ts";
import { isObject, own, setOwn } from "./plain-object.ts";
import type { ServedSchema } from "./served-schema.ts";

/** A value that went through a Go type and came out as JSON again. */
export interface GoDecoded {
  readonly value: unknown;
  /** Fields that the type does not have, in the order of the text: `spec.foo`, `spec.list[0].bar`. */
  readonly unknown: readonly string[];
}

/** What Go's decoder says of a value that does not fit: `json: cannot unmarshal string into Go struct field …`. */
export class GoDecodeError extends Error {
  override readonly name = "GoDecodeError";
}

interface Place {
  /** The Go type that holds the value: `DeploymentSpec`. */
  readonly struct: string;
  /** As Go names it: `spec.template.spec.containers.name`, with no item and no key of a map. */
  readonly field: string;
  /** As unknown fields are named: `spec.template.spec.containers[0]`. */
  readonly path: string;
}

interface Decoding {
  readonly unknown: string[];
}

/**
 * What Go makes of JSON that is read into a built-in type and written again: nulls and unknown fields are gone, empty values too
 * where the type omits them, and what is always written is there; quantities and times are in their canonical form.
 *
 * @throws GoDecodeError when a value does not fit its field.
 */
export function decodeGo(schema: ServedSchema, value: unknown): GoDecoded {
  const decoding: Decoding = { unknown: [] };
  const place: Place = { struct: "", field: "", path: "" };
  return { value: decode(schema, value ?? {}, place, decoding), unknown: decoding.unknown };
}

function decode(schema: ServedSchema, value: unknown, place: Place, decoding: Decoding): unknown {
  const scalar =
    schema["x-kubernetes-int-or-string"] === true ? "int-or-string" : (schema.format ?? schema.type ?? "json");
  switch (scalar) {
    case "date-time":
      return timeOf(value, place, parseGoTime);
    case "micro-time":
      return timeOf(value, place, parseGoMicroTime);
    case "quantity":
      return quantityOf(value);
    case "duration":
      return durationOf(value, place);
    case "int-or-string":
      return typeof value === "string" ? value : integerOf(value, "int32", place);
    case "byte":
      return bytesOf(value, place);
    case "int32":
    case "int64":
      return integerOf(value, scalar, place);
    case "raw-extension":
    case "fields-v1":
    case "json":
      return value;
    case "json-schema-or-array":
      return Array.isArray(value) ? listOf(schema, value, place, decoding) : structOf(schema, value, place, decoding);
    case "json-schema-or-bool":
      return typeof value === "boolean" ? value : structOf(schema, value, place, decoding);
    case "json-schema-or-strings":
      return Array.isArray(value) ? listOf(schema, value, place, decoding) : structOf(schema, value, place, decoding);
    case "string":
      return typeof value === "string" ? value : fail(value, schema, place);
    case "boolean":
      return typeof value === "boolean" ? value : fail(value, schema, place);
    case "double":
    case "number":
      return typeof value === "number" ? value : fail(value, schema, place);
    case "array":
      return Array.isArray(value) ? listOf(schema, value, place, decoding) : fail(value, schema, place);
    default:
      if (!isObject(value)) return fail(value, schema, place);
      return schema.additionalProperties === undefined
        ? structOf(schema, value, place, decoding)
        : mapOf(schema.additionalProperties, value, place, decoding);
  }
}

function structOf(schema: ServedSchema, value: unknown, place: Place, decoding: Decoding): unknown {
  if (!isObject(value)) return fail(value, schema, place);
  const properties = schema.properties ?? {};
  const decoded = new Map<string, unknown>();
  const struct = schema["x-go-type"]?.split(".").at(-1) ?? place.struct;
  for (const [name, each] of Object.entries(value)) {
    const field = own(properties, name);
    const path = place.path === "" ? name : `${place.path}.${name}`;
    if (field === undefined) decoding.unknown.push(path);
    else if (each !== null && each !== undefined) {
      const at = { struct, field: place.field === "" ? name : `${place.field}.${name}`, path };
      decoded.set(name, decode(field, each, at, decoding));
    }
  }
  const result: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(properties)) {
    const written = asWritten(field, decoded.get(name));
    if (written !== undefined) setOwn(result, name, written);
  }
  return result;
}

/** What stands in JSON for a field of a struct; undefined where Go leaves it out. */
function asWritten(field: ServedSchema, value: unknown): unknown {
  const omit = field["x-go-omit"];
  if (field["x-go-pointer"] === true) return value ?? (omit === "never" ? null : undefined);
  const zero = zeroOf(field);
  if (omit === "zero") return value === undefined || isDeepStrictEqual(value, zero) ? undefined : value;
  // Whoever sends an empty list owns it; see `dropEmptyLists`.
  if (omit === "never" && Array.isArray(value)) return value;
  if (value === undefined || isEmptyCollection(field, value))
    return omit === "never" || !isOmittable(field) ? zero : undefined;
  return omit === undefined && isOmittable(field) && (value === "" || value === 0 || value === false)
    ? undefined
    : value;
}

/**
 * Makes what was decoded what is stored, in place: protobuf, in which objects are stored, does not tell an empty list from none.
 */
export function dropEmptyLists(schema: ServedSchema, value: unknown): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) dropEmptyLists(schema.items, item);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, each] of Object.entries(value)) {
    if (typeof each !== "object" || each === null) continue;
    const field = schema.additionalProperties ?? own(schema.properties ?? {}, name);
    if (field === undefined) continue;
    if (Array.isArray(each) && each.length === 0 && field["x-go-omit"] === "never") value[name] = null;
    else dropEmptyLists(field, each);
  }
}

/** Objects that are no pointers are never empty to Go. */
function isOmittable({
  type,
  format,
  additionalProperties,
  "x-kubernetes-int-or-string": intOrString,
}: ServedSchema): boolean {
  if (intOrString === true || format === "raw-extension") return false;
  if (type === "object" && format === undefined) return additionalProperties !== undefined;
  return format !== "date-time" && format !== "micro-time" && format !== "quantity" && format !== "duration";
}

function isEmptyCollection({ format }: ServedSchema, value: unknown): boolean {
  if (format === "raw-extension" || format === "json" || format === "fields-v1") return false;
  if (Array.isArray(value)) return value.length === 0;
  return format === "byte" ? value === "" : false;
}

function zeroOf(schema: ServedSchema): unknown {
  if (schema["x-go-pointer"] === true) return null;
  if (schema["x-kubernetes-int-or-string"] === true) return 0;
  switch (schema.format ?? schema.type) {
    case "quantity":
      return "0";
    case "duration":
      return "0s";
    case "int32":
    case "int64":
    case "double":
    case "number":
      return 0;
    case "string":
      return "";
    case "boolean":
      return false;
    case "object":
      return schema.additionalProperties === undefined ? decodeGo(schema, {}).value : null;
    default:
      return null;
  }
}

function listOf(schema: ServedSchema, value: readonly unknown[], place: Place, decoding: Decoding): unknown {
  const { items } = schema;
  if (items === undefined) return value;
  return value.map((item, index) =>
    item === null || item === undefined
      ? zeroOf(items)
      : decode(items, item, { ...place, path: `${place.path}[${index}]` }, decoding),
  );
}

/** Go writes the keys of a map in their order. */
function mapOf(
  values: ServedSchema,
  value: Readonly<Record<string, unknown>>,
  place: Place,
  decoding: Decoding,
): unknown {
  const result: Record<string, unknown> = {};
  const names = Object.keys(value);
  if (names.length === 0) return undefined;
  for (const name of names.sort()) {
    const each = value[name];
    const decoded =
      each === null || each === undefined
        ? zeroOf(values)
        : decode(values, each, { ...place, path: `${place.path}.${name}` }, decoding);
    setOwn(result, name, decoded ?? null);
  }
  return result;
}

function timeOf(value: unknown, place: Place, parse: (text: string) => GoTime): string {
  if (typeof value !== "string") return fail(value, { type: "string" }, place);
  const parsed = parse(value);
  if ("error" in parsed) throw new GoDecodeError(parsed.error);
  return parsed.time;
}

const quantityShape = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;

function quantityOf(value: unknown): string {
  const text = typeof value === "string" ? value.trim() : JSON.stringify(value);
  const quantity = parseQuantity(text);
  if (quantity !== undefined) return formatQuantity(quantity);
  throw new GoDecodeError(`quantities must match the regular expression '${quantityShape.source}'`);
}

function durationOf(value: unknown, place: Place): string {
  if (typeof value !== "string") return fail(value, { type: "string" }, place);
  const nanos = parseGoDuration(value);
  if (nanos === undefined) throw new GoDecodeError(`time: invalid duration ${JSON.stringify(value)}`);
  return formatGoDuration(nanos);
}

function integerOf(value: unknown, type: "int32" | "int64", place: Place): number {
  const schema: ServedSchema = { type: "integer", format: type };
  if (typeof value !== "number") return fail(value, schema, place);
  const most = type === "int32" ? 2 ** 31 : 2 ** 63;
  if (!Number.isInteger(value) || value >= most || value < -most) return fail(value, schema, place, `number ${value}`);
  return value;
}

function bytesOf(value: unknown, place: Place): string {
  if (typeof value !== "string") return fail(value, { type: "string", format: "byte" }, place);
  const text = value.replace(/[\r\n]/g, "");
  const bad = /[^A-Za-z0-9+/]/.exec(text.replace(/={1,2}$/, ""))?.index;
  if (bad !== undefined || text.length % 4 !== 0) {
    throw new GoDecodeError(`illegal base64 data at input byte ${bad ?? text.length - (text.length % 4)}`);
  }
  return text;
}

/** @throws GoDecodeError always */
function fail(value: unknown, schema: ServedSchema, place: Place, what: string = wordFor(value)): never {
  const where = place.field === "" ? "Go value" : `Go struct field ${place.struct}.${place.field}`;
  // The one name of a string type that all kinds have, and that the table does not tell.
  const type = /(?:^|\.)uid$/.test(place.field) && schema.type === "string" ? "types.UID" : goTypeName(schema);
  throw new GoDecodeError(`json: cannot unmarshal ${what} into ${where} of type ${type}`);
}

function wordFor(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function goTypeName(schema: ServedSchema): string {
  if (schema.format === "byte") return "[]uint8";
  if (schema.format === "int32" || schema.format === "int64") return schema.format;
  if (schema.type === "boolean") return "bool";
  if (schema.type === "number") return "float64";
  if (schema.type === "array") return `[]${schema.items === undefined ? "interface {}" : goTypeName(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map[string]${goTypeName(schema.additionalProperties)}`;
  if (schema["x-kubernetes-int-or-string"] === true) return "intstr.IntOrString";
  if (schema.format === "quantity") return "resource.Quantity";
  return (
    schema["x-go-type"]?.split(".").slice(-2).join(".") ??
    (schema.type === "object" ? "map[string]interface {}" : "string")
  );
}
