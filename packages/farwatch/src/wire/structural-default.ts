import type { StructuralSchema } from "./structural-schema.ts";

/**
 * The value with the schema's defaults where fields are absent, or null without being nullable, as the API server sets
 * them: from the outside in, so that an absent object gets its own default first. The value itself is left alone.
 */
export function withDefaults(schema: StructuralSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => withDefaults(items, item));
  }
  if (typeof value !== "object" || value === null) return value;
  const result: Record<string, unknown> = { ...value };
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const had = Object.hasOwn(result, name) ? result[name] : undefined;
    const absent = had === undefined || (had === null && field.nullable !== true);
    const now = absent ? field.default : had;
    if (now !== undefined) result[name] = withDefaults(field, now);
  }
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined) {
    for (const [name, each] of Object.entries(result)) result[name] = withDefaults(additionalProperties, each);
  }
  return result;
}
