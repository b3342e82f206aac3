import type { JsonObject } from "farwatch";
import type { Kind, KindVersion } from "../registry/kind.ts";
import { apiVersionOf } from "../registry/registry.ts";
import { setOwn } from "../schema/plain-object.ts";
import type { ServedSchema } from "../schema/served-schema.ts";

const scalars: Readonly<Record<string, unknown>> = { boolean: false, integer: 0, number: 0, string: "" };
const formats: Readonly<Record<string, unknown>> = { "date-time": null, "micro-time": null, quantity: "0" };

/**
 * What an object is before it is created: of a custom kind nothing but its type; of a built-in kind the structures that
 * Go has whether or not they are set, and which are therefore never new to whoever fills them.
 */
export function objectBeforeCreate(kind: Kind, version: KindVersion): JsonObject {
  let zero = zeros.get(version);
  if (zero === undefined) {
    const type = { apiVersion: apiVersionOf(kind.group, version.version), kind: kind.kind };
    zero = kind.custom ? type : { ...zeroStruct(version.schema), metadata: {}, ...type };
    zeros.set(version, zero);
  }
  return zero;
}

const zeros = new WeakMap<KindVersion, JsonObject>();

function zeroStruct(schema: ServedSchema): JsonObject {
  const result: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const value = zeroOfField(field);
    if (value !== undefined) setOwn(result, name, value);
  }
  return result;
}

function zeroOfField(field: ServedSchema): unknown {
  const omit = field["x-go-omit"];
  if (omit === "zero") return undefined;
  if (field["x-go-pointer"] === true) return omit === "never" ? null : undefined;
  const { type, format = "" } = field;
  if (type === "object" && field["x-go-type"] !== undefined) return zeroStruct(field);
  if (type === "array" || type === "object") return omit === "never" ? null : undefined;
  // Of what is no scalar to Go `omitempty` leaves nothing out.
  if (Object.hasOwn(formats, format)) return formats[format];
  return omit === "never" && type !== undefined ? scalars[type] : undefined;
}
