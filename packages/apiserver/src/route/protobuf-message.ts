import { formatMicroTime, formatTime, instantOf } from "farwatch";
import protobuf from "protobufjs/minimal.js";
import { isTooDeep, readJson } from "../failure/read-json.ts";
import { isScalar, type ScalarType, type TableType, type TypeField, tableType } from "../registry/type-table.ts";
import { setOwn } from "../schema/plain-object.ts";

/** Why bytes are no message of the type. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

type Reader = protobuf.Reader;
type Message = Record<string, unknown>;

const wireType = { varint: 0, fixed64: 1, bytes: 2 } as const;
/** Far more than any schema of a schema has, and far less than the stack. */
const deepest = 500;
const tooDeep = "proto: nested too deeply";

/**
 * Reads a message of the type as JSON: what is in the bytes, under the names of JSON. Fields of other numbers are
 * skipped.
 *
 * @throws ProtobufError for bytes that break off, or that hold something else than a field has.
 */
export function readMessage(type: TableType, bytes: Uint8Array): Message {
  try {
    const read = message(type, bytes, 0);
    // A message may be two levels of JSON, and hold JSON.
    if (isTooDeep(read)) throw new ProtobufError(tooDeep);
    return read;
  } catch (error) {
    if (error instanceof RangeError) throw new ProtobufError("unexpected EOF", { cause: error });
    if (error instanceof ProtobufError || !(error instanceof Error)) throw error;
    throw new ProtobufError(`proto: ${error.message}`, { cause: error });
  }
}

const numbered = new WeakMap<TableType, ReadonlyMap<number, TypeField>>();

function fieldsByNumber(type: TableType): ReadonlyMap<number, TypeField> {
  const known = numbered.get(type);
  if (known !== undefined) return known;
  const found = new Map(type.fields.flatMap((field) => (field.number === undefined ? [] : [[field.number, field]])));
  numbered.set(type, found);
  return found;
}

function message(type: TableType, bytes: Uint8Array, depth: number): Message {
  if (depth > deepest) throw new ProtobufError(tooDeep);
  const fields = fieldsByNumber(type);
  const reader = protobuf.Reader.create(bytes);
  const result: Message = {};
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const wire = tag & 7;
    const field = fields.get(tag >>> 3);
    if (field === undefined) reader.skipType(wire, 0, tag >>> 3);
    else take(result, field, { reader, wire, depth: depth + 1 });
  }
  return result;
}

interface Taking {
  readonly reader: Reader;
  readonly wire: number;
  readonly depth: number;
}

/** Adds the value that the reader stands before. */
function take(result: Message, field: TypeField, { reader, wire, depth }: Taking): void {
  const { name, form, element } = field;
  if (field.inline) {
    expectWire(field, wire, wireType.bytes);
    Object.assign(result, message(tableType(element), reader.bytes(), depth));
  } else if (form === "map") {
    expectWire(field, wire, wireType.bytes);
    const [key, value] = mapEntry(field, reader.bytes(), depth);
    const map = (result[name] ?? {}) as Message;
    setOwn(map, key, value);
    result[name] = map;
  } else if (form === "list") {
    const list = (result[name] ?? []) as unknown[];
    result[name] = list;
    if (wire === wireType.bytes && wireOf(element) !== wireType.bytes) {
      const packed = protobuf.Reader.create(reader.bytes());
      while (packed.pos < packed.len) list.push(elementValue(element, packed, depth));
    } else {
      expectWire(field, wire, wireOf(element));
      list.push(elementValue(element, reader, depth));
    }
  } else {
    expectWire(field, wire, wireOf(element));
    const value = elementValue(element, reader, depth);
    if (value !== undefined) result[name] = value;
  }
}

function expectWire({ name }: TypeField, found: number, expected: number): void {
  if (found === expected) return;
  const goName = name === "metadata" ? "ObjectMeta" : name.charAt(0).toUpperCase() + name.slice(1);
  throw new ProtobufError(`proto: wrong wireType = ${found} for field ${goName}`);
}

function wireOf(element: string): number {
  if (element === "bool" || element === "int32" || element === "int64") return wireType.varint;
  return element === "float64" ? wireType.fixed64 : wireType.bytes;
}

function mapEntry(field: TypeField, bytes: Uint8Array, depth: number): [string, unknown] {
  const reader = protobuf.Reader.create(bytes);
  let key = "";
  let value: unknown;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const wire = tag & 7;
    if (tag >>> 3 === 1) key = reader.string();
    else if (tag >>> 3 === 2) {
      expectWire(field, wire, wireOf(field.element));
      value = elementValue(field.element, reader, depth);
    } else reader.skipType(wire, 0, tag >>> 3);
  }
  return [key, value ?? (field.element === "string" || field.element === "bytes" ? "" : null)];
}

function elementValue(element: string, reader: Reader, depth: number): unknown {
  if (isScalar(element)) return scalarValue(element, reader, depth);
  const type = tableType(element);
  if (type.items !== undefined) return namedList(type.items, reader.bytes(), depth);
  const fields = message(type, reader.bytes(), depth);
  return eitherOr[element]?.(fields) ?? fields;
}

/** A list with a name is a message of its items. */
function namedList(items: string, bytes: Uint8Array, depth: number): readonly unknown[] {
  const reader = protobuf.Reader.create(bytes);
  const list: unknown[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1) list.push(elementValue(items, reader, depth));
    else reader.skipType(tag & 7, 0, tag >>> 3);
  }
  return list;
}

function scalarValue(scalar: ScalarType, reader: Reader, depth: number): unknown {
  switch (scalar) {
    case "string":
      return reader.string();
    case "bool":
      return reader.bool();
    case "int32":
      return reader.int32();
    case "int64":
      return integer(reader);
    case "float64":
      return reader.double();
    case "bytes":
      return Buffer.from(reader.bytes()).toString("base64");
    case "Time":
      return timeValue(reader.bytes(), depth, (ms) => formatTime(instantOf(ms)));
    case "MicroTime":
      return timeValue(reader.bytes(), depth, (ms, nanos) => {
        const micros = String(Math.trunc(nanos / 1000)).padStart(6, "0");
        return formatMicroTime(instantOf(ms)).replace(/\.\d+Z$/, `.${micros}Z`);
      });
    case "Quantity": {
      const { string } = message(quantityType, reader.bytes(), depth);
      return string ?? "0";
    }
    case "IntOrString": {
      const { type = 0, intVal = 0, strVal = "" } = message(intOrStringType, reader.bytes(), depth);
      return type === 0 ? intVal : strVal;
    }
    case "FieldsV1":
    case "JSON":
    case "RawExtension":
      return jsonValue(reader.bytes(), depth);
  }
}

/** Beyond 2^53 as inexact as in JSON. */
function integer(reader: Reader): number {
  return Number(reader.int64().toString());
}

const plain = {
  inline: false,
  form: "one",
  pointer: false,
  goType: undefined,
  required: false,
  omit: "empty",
  default: undefined,
  enum: undefined,
  each: undefined,
  listType: undefined,
  listMapKeys: undefined,
  mapType: undefined,
  patchStrategy: undefined,
  patchMergeKey: undefined,
} as const;

/** A type of the wire alone: its fields' numbers count from 1. */
export function wireMessage(name: string, ...fields: readonly (readonly [name: string, element: string])[]): TableType {
  return {
    name,
    items: undefined,
    mapType: undefined,
    union: undefined,
    fields: fields.map(([field, element], index) => ({ ...plain, name: field, number: index + 1, element })),
  };
}

const timestampType = wireMessage("meta.v1.Timestamp", ["seconds", "int64"], ["nanos", "int32"]);
const quantityType = wireMessage("resource.Quantity", ["string", "string"]);
const intOrStringType = wireMessage("intstr.IntOrString", ["type", "int64"], ["intVal", "int32"], ["strVal", "string"]);
const rawType = wireMessage("runtime.RawExtension", ["raw", "bytes"]);

/** The zero time is an empty message. */
function timeValue(
  bytes: Uint8Array,
  depth: number,
  format: (ms: number, nanos: number) => string,
): string | undefined {
  if (bytes.length === 0) return undefined;
  const { seconds = 0, nanos = 0 } = message(timestampType, bytes, depth) as { seconds?: number; nanos?: number };
  const ms = seconds * 1000;
  // Years of four digits, as in every time of JSON.
  if (ms < -62_135_596_800_000 || ms > 253_402_300_799_000 || nanos < 0 || nanos > 999_999_999) {
    throw new ProtobufError("proto: a time out of range");
  }
  return format(ms, nanos);
}

function jsonValue(bytes: Uint8Array, depth: number): unknown {
  const { raw } = message(rawType, bytes, depth);
  if (typeof raw !== "string" || raw === "") return undefined;
  try {
    return readJson(Buffer.from(raw, "base64"));
  } catch (cause) {
    throw new ProtobufError("proto: no JSON where JSON is expected", { cause });
  }
}

/** Types of a CustomResourceDefinition that JSON writes as one of two things. */
const eitherOr: Readonly<Record<string, (fields: Message) => unknown>> = {
  "apiextensions.v1.JSONSchemaPropsOrArray": ({ Schema, JSONSchemas }) => JSONSchemas ?? Schema,
  "apiextensions.v1.JSONSchemaPropsOrBool": ({ Schema, Allows }) => Schema ?? Allows ?? false,
  "apiextensions.v1.JSONSchemaPropsOrStringArray": ({ Schema, Property }) => Property ?? Schema,
};
