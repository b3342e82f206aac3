import { goNumberType } from "../failure/go-number.ts";
import { decodeGo } from "./go-decode.ts";
import { GoDecodeError } from "./go-scalar.ts";
import { isObject, setOwn } from "./plain-object.ts";
import type { ServedSchema } from "./served-schema.ts";

/**
 * Reads maps and lists into a built-in type as Go's converter of unstructured objects does, which is handed no text: it
 * has words of its own for what does not fit, and makes any whole number an integer, which loses its upper bits where
 * they are too many. In place; fields of a struct are looked at in its order, and unknown ones are left alone.
 *
 * @throws GoDecodeError for the first value that does not fit.
 */
export function restoreFields(schema: ServedSchema, value: unknown): void {
  if (value !== null && value !== undefined) restored(schema, value);
}

/** Types that read JSON themselves are handed some. */
const selfReading: ReadonlySet<string> = new Set([
  "date-time",
  "duration",
  "fields-v1",
  "json",
  "json-schema-or-array",
  "json-schema-or-bool",
  "json-schema-or-strings",
  "micro-time",
  "quantity",
  "raw-extension",
]);

const bits = { uint8: 8, int32: 32, int64: 64 } as const;

function restored(schema: ServedSchema, value: unknown): unknown {
  if (value === null) return value;
  const type = schema.format ?? schema.type ?? "json";
  if (schema["x-kubernetes-int-or-string"] === true || selfReading.has(type)) {
    decodeGo(schema, value);
    return value;
  }
  switch (type) {
    case "byte":
      return restoredBytes(value);
    case "uint8":
    case "int32":
    case "int64":
      return restoredInteger(type, value);
    case "double":
    case "number":
      return typeof value === "number" ? value : unrecognized("float64");
    case "boolean":
      return typeof value === "boolean" ? value : unrecognized("bool");
    case "string":
      if (typeof value === "string") return value;
      // Go could make a character of an integer, and will not.
      return kindOf(value) === "int64"
        ? unconvertible("int64", schema["x-go-name"] ?? "string")
        : unrecognized("string");
    case "array":
      return restoredList(schema, value);
    default:
      return schema.additionalProperties === undefined
        ? restoredStruct(schema, value)
        : restoredMap(schema.additionalProperties, value);
  }
}

function restoredBytes(value: unknown): unknown {
  if (typeof value !== "string") return restoredList({ items: { type: "integer", format: "uint8" } }, value);
  try {
    decodeGo({ type: "string", format: "byte" }, value);
    return value;
  } catch (error) {
    throw error instanceof GoDecodeError ? new GoDecodeError(`error decoding from json: ${error.message}`) : error;
  }
}

function restoredInteger(type: keyof typeof bits, value: unknown): number {
  if (typeof value !== "number") return unrecognized(type);
  if (!Number.isInteger(value)) return unconvertible("float64", type);
  // A float beyond all integers is the least of them.
  const whole = Math.abs(value) < 2 ** 63 ? BigInt(value) : -(2n ** 63n);
  return Number((type === "uint8" ? BigInt.asUintN : BigInt.asIntN)(bits[type], whole));
}

function restoredList({ items }: Pick<ServedSchema, "items">, value: unknown): unknown {
  if (!Array.isArray(value)) throw new GoDecodeError(`cannot restore slice from ${kindOf(value)}`);
  if (items !== undefined) for (const [index, item] of value.entries()) value[index] = restored(items, item);
  return value;
}

function restoredMap(values: ServedSchema, value: unknown): unknown {
  if (!isObject(value)) throw new GoDecodeError(`cannot restore map from ${kindOf(value)}`);
  for (const name of Object.keys(value)) setOwn(value, name, restored(values, value[name]));
  return value;
}

function restoredStruct({ properties }: ServedSchema, value: unknown): unknown {
  if (!isObject(value)) throw new GoDecodeError(`cannot restore struct from: ${kindOf(value)}`);
  for (const [name, field] of Object.entries(properties ?? {})) {
    if (Object.hasOwn(value, name)) value[name] = restored(field, value[name]);
  }
  return value;
}

/** What reflect says of a value that was read from JSON. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return goNumberType(value);
  return typeof value === "object" ? "map" : "string";
}

function unrecognized(kind: string): never {
  throw new GoDecodeError(`unrecognized type: ${kind}`);
}

function unconvertible(from: string, to: string): never {
  throw new GoDecodeError(`cannot convert ${from} to ${to}`);
}
