import type { NestedValidation, StructuralSchema } from "../wire/structural-schema.ts";

/**
 * An enum said by other checks, where kube-apiserver's own does not do: it refuses null even when null is among its
 * values, and it speaks of integers and strings at once. Patterns leave all but strings alone, and bounds all but
 * numbers. A CEL rule would say it more nicely, but within an unbounded map it exceeds the server's budget.
 */
export function enumCheck(values: readonly unknown[]): NestedValidation {
  const strings = values.filter((value) => typeof value === "string");
  if (strings.length === values.length) return { pattern: `^(?:${strings.map(escaped).join("|")})$` };
  const points = values
    .filter((value) => typeof value === "number")
    .map((value) => ({ minimum: value, maximum: value }));
  const [only] = points;
  return points.length === 1 && only !== undefined ? only : { anyOf: points };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("\n", "\\n");
}

/** The schema with one check more, beside or behind one of the same name. */
export function withCheck(schema: StructuralSchema, check: NestedValidation | StructuralSchema): StructuralSchema {
  const clash = Object.keys(check).some((name) => Object.hasOwn(schema, name));
  return clash
    ? { ...schema, allOf: [...(schema.allOf ?? []), check as NestedValidation] }
    : { ...schema, ...(check as StructuralSchema) };
}
