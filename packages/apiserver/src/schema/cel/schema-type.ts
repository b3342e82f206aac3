import type { ServedSchema } from "../served-schema.ts";
import { bool, type CelType, dyn, int, listType, mapType, readType, string } from "./cel-type.ts";
import { escapeName } from "./field-name.ts";

/** Of a request: what no value can be larger than. */
const maxRequestBytes = 3 * 1024 * 1024;
const text: ServedSchema = { type: "string" };

/** apiVersion, kind and the two names of metadata, which rules at the root of an object may always read. */
export function withObjectMeta(schema: ServedSchema): ServedSchema {
  const { properties = {} } = schema;
  const metadata: ServedSchema = { type: "object", properties: { name: text, generateName: text } };
  return { ...schema, properties: { ...properties, kind: text, apiVersion: text, metadata } };
}

/**
 * The type of a schema's values; undefined where rules cannot see them, since nothing is known of them. `isRoot` for a
 * whole object, the custom one or an embedded one.
 */
export function schemaType(schema: ServedSchema, isRoot: boolean, name = "selfType0"): CelType | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) {
    const maxElements = schema.maxLength === undefined ? maxRequestBytes - 2 : schema.maxLength * 4;
    return { ...dyn, maxElements, minSize: 1 };
  }
  switch (schema.type) {
    case "array": {
      const { items } = schema;
      const item = items === undefined ? undefined : schemaType(items, isEmbedded(items), `${name}.@idx`);
      if (item === undefined) return undefined;
      const maxElements = schema.maxItems ?? Math.floor((maxRequestBytes - 2) / ((item.minSize ?? 0) + 1));
      return { ...listType(item), maxElements, minSize: 2 };
    }
    case "object":
      return objectType(isRoot ? withObjectMeta(schema) : schema, name);
    case "string":
      return stringType(schema);
    case "boolean":
      return { ...bool, minSize: 4 };
    case "number":
      return { ...readType("double"), minSize: 1 };
    case "integer":
      return { ...int, minSize: 1 };
    default:
      return undefined;
  }
}

function isEmbedded(schema: ServedSchema): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

function objectType(schema: ServedSchema, name: string): CelType | undefined {
  const { additionalProperties, properties = {}, required = [] } = schema;
  if (additionalProperties !== undefined) {
    const value = schemaType(additionalProperties, isEmbedded(additionalProperties), `${name}.@elem`);
    if (value === undefined) return undefined;
    const maxElements = schema.maxProperties ?? Math.floor((maxRequestBytes - 2) / ((value.minSize ?? 0) + 6));
    return { ...mapType(string, value), maxElements, minSize: 2 };
  }
  const fields = new Map<string, CelType>();
  let minSize = 2;
  for (const [field, each] of Object.entries(properties)) {
    const escaped = escapeName(field);
    const type = schemaType(each, isEmbedded(each), `${name}.${escaped ?? field}`);
    if (type === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, type);
    if (required.includes(field) && each.default === undefined) minSize += field.length + (type.minSize ?? 0) + 4;
  }
  return { kind: "struct", name, params: [], fields, minSize };
}

function stringType(schema: ServedSchema): CelType {
  const { format, maxLength } = schema;
  switch (format) {
    case "byte":
      return { ...readType("bytes"), maxElements: maxLength ?? maxRequestBytes - 2, minSize: 2 };
    case "duration":
      return { ...readType("duration"), maxElements: 32, minSize: 3 };
    case "date":
      return { ...readType("timestamp"), maxElements: 12, minSize: 12 };
    case "date-time":
      return { ...readType("timestamp"), maxElements: 32, minSize: 21 };
    default:
      break;
  }
  const words = (schema.enum ?? []).map((word) => (typeof word === "string" ? Buffer.byteLength(word) : 0));
  const longest = words.reduce((most, length) => Math.max(most, length), 0);
  const bounded = maxLength !== undefined ? maxLength * 4 : words.length > 0 ? longest : maxRequestBytes - 2;
  return { ...string, maxElements: bounded, minSize: 2 };
}

/** How often a rule may be asked of one object, when nothing but the object's size bounds it. */
export function unboundedCardinality(type: CelType): number {
  return Math.floor(maxRequestBytes / ((type.minSize ?? 0) + 1));
}
