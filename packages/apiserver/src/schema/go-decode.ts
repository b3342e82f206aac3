import { bytesOf, durationOf, fail, integerOf, Place, quantityOf, timeOf } from "./go-scalar.ts";
import { parseGoMicroTime, parseGoTime } from "./go-time.ts";
import { isObject, own, sameJson, setOwn } from "./plain-object.ts";
import type { ServedSchema } from "./served-schema.ts";

/** A value that went through a Go type and came out as JSON again. */
export interface GoDecoded {
  readonly value: unknown;
  /** Fields that the type does not have, in the order of the text: `spec.foo`, `spec.list[0].bar`. */
  readonly unknown: readonly string[];
}

/**
 * What Go makes of JSON that is read into a built-in type and written again: nulls and unknown fields are gone, empty
 * values too where the type omits them, and what is always written is there; quantities and times are in their
 * canonical form.
 *
 * @throws GoDecodeError when a value does not fit its field.
 */
export function decodeGo(schema: ServedSchema, value: unknown): GoDecoded {
  const unknown: string[] = [];
  return { value: decoderOf(schema)(value ?? {}, nowhere, unknown), unknown };
}

const nowhere = new Place("");

/** Reads a value of one schema; the names of unknown fields are added to the list. */
type Decoder = (value: unknown, place: Place, unknown: string[]) => unknown;

/** What each schema says is looked up once: those of built-in kinds live for ever, and every write is read by them. */
const decoders = new WeakMap<ServedSchema, Decoder>();

function decoderOf(schema: ServedSchema): Decoder {
  let decoder = decoders.get(schema);
  if (decoder === undefined) {
    decoder = createDecoder(schema);
    decoders.set(schema, decoder);
  }
  return decoder;
}

function createDecoder(schema: ServedSchema): Decoder {
  const scalar =
    schema["x-kubernetes-int-or-string"] === true ? "int-or-string" : (schema.format ?? schema.type ?? "json");
  switch (scalar) {
    case "date-time":
      return (value, place) => timeOf(value, place, parseGoTime);
    case "micro-time":
      return (value, place) => timeOf(value, place, parseGoMicroTime);
    case "quantity":
      return quantityOf;
    case "duration":
      return durationOf;
    case "int-or-string":
      return (value, place) => (typeof value === "string" ? value : integerOf(value, "int32", place));
    case "byte":
      return bytesOf;
    case "int32":
    case "int64":
      return (value, place) => integerOf(value, scalar, place);
    case "raw-extension":
    case "fields-v1":
    case "json":
      return (value) => value;
    case "json-schema-or-array":
    case "json-schema-or-strings": {
      const [list, struct] = [listDecoder(schema), structDecoder(schema)];
      return (value, ...rest) => (Array.isArray(value) ? list : struct)(value, ...rest);
    }
    case "json-schema-or-bool": {
      const struct = structDecoder(schema);
      return (value, ...rest) => (typeof value === "boolean" ? value : struct(value, ...rest));
    }
    case "string":
    case "boolean":
      return (value, place) => (typeof value === scalar ? value : fail(value, schema, place));
    case "double":
    case "number":
      return (value, place) => (typeof value === "number" ? value : fail(value, schema, place));
    case "array":
      return listDecoder(schema);
    default:
      return schema.additionalProperties === undefined
        ? structDecoder(schema)
        : mapDecoder(schema, schema.additionalProperties);
  }
}

interface StructField {
  readonly name: string;
  readonly decode: Decoder;
  /** What stands in JSON for what was read; undefined where Go leaves it out. */
  readonly written: (value: unknown) => unknown;
}

function structDecoder(schema: ServedSchema): Decoder {
  const type = schema["x-go-type"]?.split(".").at(-1);
  /** In Go's order, and where each stands in it; found at the first value, since types may hold one another. */
  let fields: readonly StructField[] | undefined;
  const indexes = new Map<string, number>();
  const findFields = (): readonly StructField[] =>
    Object.entries(schema.properties ?? {}).map(([name, field], index) => {
      indexes.set(name, index);
      return { name, decode: decoderOf(field), written: writtenAs(field) };
    });

  return (value, place, unknown) => {
    if (!isObject(value)) return fail(value, schema, place);
    fields ??= findFields();
    const struct = type ?? place.struct;
    const decoded = new Array<unknown>(fields.length);
    for (const name of Object.keys(value)) {
      const each = value[name];
      const index = indexes.get(name);
      if (index === undefined) unknown.push(place.fieldOf(struct, name).path);
      else if (each !== null && each !== undefined) {
        decoded[index] = fields[index]?.decode(each, place.fieldOf(struct, name), unknown);
      }
    }
    const result: Record<string, unknown> = {};
    for (const [index, { name, written }] of fields.entries()) {
      const each = written(decoded[index]);
      if (each !== undefined) result[name] = each;
    }
    return result;
  };
}

function writtenAs(field: ServedSchema): StructField["written"] {
  const { format, "x-go-omit": omit } = field;
  if (field["x-go-pointer"] === true) return (value) => value ?? (omit === "never" ? null : undefined);
  if (omit === "zero") return (value) => (value === undefined || sameJson(value, zeroOf(field)) ? undefined : value);
  const omittable = isOmittable(field);
  return (value) => {
    // Whoever sends an empty list owns it; see `dropEmptyLists`.
    if (omit === "never" && Array.isArray(value)) return value;
    if (value === undefined || isEmptyCollection(format, value))
      return omit === "never" || !omittable ? zeroOf(field) : undefined;
    return omit === undefined && omittable && (value === "" || value === 0 || value === false) ? undefined : value;
  };
}

/**
 * Makes what was decoded what is stored, in place: protobuf, in which objects are stored, does not tell an empty list
 * from none.
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

function isEmptyCollection(format: string | undefined, value: unknown): boolean {
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

function listDecoder(schema: ServedSchema): Decoder {
  const { items } = schema;
  return (value, place, unknown) => {
    if (!Array.isArray(value)) return fail(value, schema, place);
    if (items === undefined) return value;
    const decode = decoderOf(items);
    return value.map((item, index) =>
      item === null || item === undefined ? zeroOf(items) : decode(item, place.partOf(index), unknown),
    );
  };
}

/** Go writes the keys of a map in their order. */
function mapDecoder(schema: ServedSchema, values: ServedSchema): Decoder {
  return (value, place, unknown) => {
    if (!isObject(value)) return fail(value, schema, place);
    const names = Object.keys(value);
    if (names.length === 0) return undefined;
    const decode = decoderOf(values);
    const result: Record<string, unknown> = {};
    // Protobuf, in which objects are stored, does not tell null from no bytes. Each entry has a value of its own, since
    // drafts are changed in place.
    const zeroValue = (): unknown => (values.format === "byte" ? "" : zeroOf(values));
    for (const name of names.sort()) {
      const each = value[name];
      const decoded = each === null || each === undefined ? zeroValue() : decode(each, place.partOf(name), unknown);
      setOwn(result, name, decoded ?? null);
    }
    return result;
  };
}
