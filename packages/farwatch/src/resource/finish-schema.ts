import { withDefaults } from "../wire/structural-default.ts";
import type { StructuralSchema, ValidationRule } from "../wire/structural-schema.ts";
import { celDouble } from "./cel.ts";
import { enumCheck, withCheck } from "./enum-check.ts";

/**
 * The last touch, when no union looks at the parts any more: what kube-apiserver does not do right is said otherwise.
 */
export function finishSchema(schema: StructuralSchema): StructuralSchema {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === "items" || name === "additionalProperties") result[name] = finishSchema(value);
    else if (name === "properties") result[name] = mapFields(value, finishSchema);
    else result[name] = value;
  }
  // The server checks a default by rules as it stands, before it sets the defaults of the fields in it.
  if (result.default !== undefined) result.default = withDefaults(result, result.default);
  return withNullableEnum(withFractionalBounds(result));
}

/** kube-apiserver refuses null by an enum even when the enum holds it. */
function withNullableEnum(schema: StructuralSchema): StructuralSchema {
  const { enum: allowed, ...rest } = schema;
  if (allowed === undefined || schema.nullable !== true) return schema;
  if (schema.type !== "boolean" && schema.type !== "number") return withCheck(rest, enumCheck(allowed));
  // Rules are not asked about null.
  const texts = allowed.map((value) => (schema.type === "number" ? celDouble(value) : String(value))).join(", ");
  return withRule(rest, { rule: `self in [${texts}]`, message: `must be one of ${allowed.join(", ")}, or null` });
}

/** kube-apiserver compares whole numbers with the whole part of a bound: 0 would pass a minimum of 0.5. */
function withFractionalBounds(schema: StructuralSchema): StructuralSchema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  const isFraction = (bound: number | undefined): boolean => bound !== undefined && !Number.isInteger(bound);
  if (schema.type !== "number" || !(isFraction(minimum) || isFraction(maximum))) return schema;
  let result: StructuralSchema = rest;
  const add = (bound: number | undefined, exclusive: boolean, sign: "<" | ">", words: string): void => {
    if (bound === undefined) return;
    const rule = `self ${sign}${exclusive ? "" : "="} ${celDouble(bound)}`;
    result = withRule(result, { rule, message: `must be ${words} than ${exclusive ? "" : "or equal to "}${bound}` });
  };
  add(minimum, exclusiveMinimum === true, ">", "greater");
  add(maximum, exclusiveMaximum === true, "<", "less");
  return result;
}

function withRule(schema: StructuralSchema, rule: ValidationRule): StructuralSchema {
  return { ...schema, "x-kubernetes-validations": [...(schema["x-kubernetes-validations"] ?? []), rule] };
}

function mapFields(
  fields: Readonly<Record<string, StructuralSchema>>,
  change: (field: StructuralSchema) => StructuralSchema,
): Readonly<Record<string, StructuralSchema>> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)]));
}
