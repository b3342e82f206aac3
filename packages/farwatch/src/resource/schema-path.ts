import type { StructuralSchema } from "../wire/structural-schema.ts";

/** One step into a schema: a field, the items of a list, or the values of a map. */
export type SchemaStep = { readonly field: string } | "items" | "values";

/**
 * Reads a path as errors and options write it: `spec.rules[].port`, `spec.labels{}`, `spec['a.b']`; a leading dot does
 * not matter, and the empty path is the whole object. Undefined when it is none.
 */
export function parseSchemaPath(path: string): readonly SchemaStep[] | undefined {
  const steps: SchemaStep[] = [];
  let rest = path.replace(/^\.(?=.)/, "");
  while (rest !== "") {
    const [whole, quoted, name, bracket] =
      /^(?:\['((?:[^'\\]|\\.)*)'\]|([^.[\]{}]+)|(\[\]|\{\}))(?:\.(?=[^.[{]))?/.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    if (bracket !== undefined) steps.push(bracket === "[]" ? "items" : "values");
    else steps.push({ field: name ?? (quoted ?? "").replace(/\\(.)/g, "$1") });
    rest = rest.slice(whole.length);
  }
  return steps;
}

/** The schema one step further in; undefined when there is none. */
function stepInto(schema: StructuralSchema, step: SchemaStep): StructuralSchema | undefined {
  if (step === "items") return schema.items;
  if (step === "values") return schema.additionalProperties;
  return Object.hasOwn(schema.properties ?? {}, step.field) ? schema.properties?.[step.field] : undefined;
}

/** The schema at the path; undefined when the schema does not know the path. */
export function schemaAt(schema: StructuralSchema, steps: readonly SchemaStep[]): StructuralSchema | undefined {
  return steps.reduce<StructuralSchema | undefined>(
    (at, step) => (at === undefined ? undefined : stepInto(at, step)),
    schema,
  );
}

/** The schema with what the path leads to changed; undefined when the schema does not know the path. */
export function changeAt(
  schema: StructuralSchema,
  steps: readonly SchemaStep[],
  change: (schema: StructuralSchema) => StructuralSchema,
): StructuralSchema | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return change(schema);
  const inner = stepInto(schema, step);
  const changed = inner === undefined ? undefined : changeAt(inner, rest, change);
  if (changed === undefined) return undefined;
  if (step === "items") return { ...schema, items: changed };
  if (step === "values") return { ...schema, additionalProperties: changed };
  return { ...schema, properties: { ...schema.properties, [step.field]: changed } };
}
