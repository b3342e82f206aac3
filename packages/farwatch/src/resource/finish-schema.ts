import { withDefaults } from "../wire/structural-default.ts";
import type { StructuralSchema, ValidationRule } from "../wire/structural-schema.ts";
import { celLiteral } from "./cel.ts";

/** The last touch, when no union looks at the parts any more. */
export function finishSchema(schema: StructuralSchema): StructuralSchema {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === "items" || name === "additionalProperties") result[name] = finishSchema(value);
    else if (name === "properties") result[name] = mapFields(value, finishSchema);
    else if (name !== "enum" || schema.nullable !== true) result[name] = value;
  }
  // The server checks a default by rules as it stands, before it sets the defaults of the fields in it.
  if (result.default !== undefined) result.default = withDefaults(result, result.default);
  if (schema.enum === undefined || schema.nullable !== true) return result;
  // kube-apiserver refuses null by an enum even when the enum holds it; rules are not asked about null.
  const texts = schema.enum.map((value) => celLiteral(value, schema.type)).join(", ");
  const rule: ValidationRule = { rule: `self in [${texts}]`, message: `must be one of ${texts}, or null` };
  return { ...result, "x-kubernetes-validations": [...(schema["x-kubernetes-validations"] ?? []), rule] };
}

function mapFields(
  fields: Readonly<Record<string, StructuralSchema>>,
  change: (field: StructuralSchema) => StructuralSchema,
): Readonly<Record<string, StructuralSchema>> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)]));
}
