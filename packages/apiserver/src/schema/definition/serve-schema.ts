import { isObject } from "../plain-object.ts";
import type { ServedSchema } from "../served-schema.ts";
import { type DefinedSchema, isTuple } from "./defined-schema.ts";

/** The schema of a definition with its short forms written out: `additionalProperties: true` is a map of anything. */
export function servedSchema(schema: DefinedSchema): ServedSchema {
  const result: Record<string, unknown> = { ...schema };
  const { properties, items, additionalProperties } = schema;
  if (properties !== undefined) {
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, servedSchema(property)]),
    );
  }
  if (items !== undefined && !isTuple(items)) result.items = servedSchema(items);
  if (additionalProperties === true) result.additionalProperties = {};
  else if (isObject(additionalProperties)) result.additionalProperties = servedSchema(additionalProperties);
  else Reflect.deleteProperty(result, "additionalProperties");
  return result as ServedSchema;
}
