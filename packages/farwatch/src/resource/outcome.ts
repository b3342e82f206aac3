import type { StructuralSchema } from "../wire/structural-schema.ts";

/** What a JSON Schema comes to: a structural schema; `null` and nothing else; or nothing at all. */
export type Outcome = StructuralSchema | "never" | "null";

/** True for a schema that takes any value: it has no type. */
export function isAnything(schema: StructuralSchema): boolean {
  return schema.type === undefined && schema["x-kubernetes-int-or-string"] !== true;
}

/** True for a schema whose values are no lists and no objects. */
export function isScalar(schema: StructuralSchema): boolean {
  return !isAnything(schema) && schema.type !== "array" && schema.type !== "object";
}

/** The schema with null among its values. */
export function withNull(schema: StructuralSchema): StructuralSchema {
  const { title, description, type, ...rest } = schema;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(type !== undefined && { type }),
    nullable: true,
    ...rest,
  };
}
