import type { NestedValidation, StructuralSchema } from "../wire/structural-schema.ts";

const checks = [
  ...(["format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum"] as const),
  ...(["exclusiveMaximum", "multipleOf", "enum", "minItems", "maxItems", "minProperties", "maxProperties"] as const),
  ...(["required", "allOf", "anyOf", "oneOf", "not"] as const),
];

/**
 * What a schema checks, without what it is made of: the part that may stand within anyOf. Undefined when it checks
 * nothing.
 */
export function validationOf(schema: StructuralSchema): NestedValidation | undefined {
  const found: Record<string, unknown> = {};
  for (const name of checks) if (schema[name] !== undefined) found[name] = schema[name];
  const fields = Object.entries(schema.properties ?? {})
    .map(([name, field]) => [name, validationOf(field)] as const)
    .filter(([, validation]) => validation !== undefined);
  if (fields.length > 0) found.properties = Object.fromEntries(fields);
  const items = schema.items === undefined ? undefined : validationOf(schema.items);
  if (items !== undefined) found.items = items;
  return Object.keys(found).length === 0 ? undefined : found;
}
