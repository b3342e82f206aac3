import { isDeepStrictEqual } from "node:util";
import type { NestedValidation, StructuralSchema } from "../wire/structural-schema.ts";
import { isAnything } from "./outcome.ts";
import type { Refuse } from "./refuse.ts";

/**
 * Refuses a default that the schema itself does not take: the API server refuses the whole CRD for it. Patterns and
 * formats are left to the server.
 */
export function checkDefaults(schema: StructuralSchema, path: string, refuse: Refuse): void {
  if (schema.default !== undefined) {
    const wrong = structureProblem(schema, schema.default, "") ?? validationProblem(schema, schema.default, "");
    if (wrong !== undefined) {
      const where = wrong.at === "" ? "the default" : `in the default ${wrong.at}`;
      refuse(path, `has a default that it does not take: ${where} ${wrong.problem}; change the default or the schema`);
    }
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) checkDefaults(field, `${path}.${name}`, refuse);
  if (schema.items !== undefined) checkDefaults(schema.items, `${path}[]`, refuse);
  if (schema.additionalProperties !== undefined) checkDefaults(schema.additionalProperties, `${path}{}`, refuse);
}

interface Problem {
  readonly at: string;
  readonly problem: string;
}

type Fields = Readonly<Record<string, unknown>>;

function isMap(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Wrong types and unknown fields. */
function structureProblem(schema: StructuralSchema, value: unknown, at: string): Problem | undefined {
  if (value === null) return schema.nullable === true ? undefined : { at, problem: "is null" };
  if (isAnything(schema)) return undefined;
  const type = schema["x-kubernetes-int-or-string"] === true ? "integer or string" : (schema.type ?? "");
  if (!isOf(type, value)) return { at, problem: `is no ${type}` };
  if (Array.isArray(value)) {
    return first(value, (item, index) => structureProblem(schema.items ?? {}, item, `${at}[${index}]`));
  }
  if (!isMap(value)) return undefined;
  return first(Object.entries(value), ([name, each]) => {
    const field =
      schema.additionalProperties ??
      (Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined);
    if (field !== undefined) return structureProblem(field, each, `${at}.${name}`);
    return schema["x-kubernetes-preserve-unknown-fields"] === true
      ? undefined
      : { at: `${at}.${name}`, problem: "is no field" };
  });
}

function isOf(type: string, value: unknown): boolean {
  if (type === "integer or string") return Number.isInteger(value) || typeof value === "string";
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isMap(value);
  return typeof value === type;
}

function first<T>(values: readonly T[], find: (value: T, index: number) => Problem | undefined): Problem | undefined {
  for (const [index, value] of values.entries()) {
    const problem = find(value, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** What the checks of the schema, and of what is in it, have against the value. */
function validationProblem(
  schema: NestedValidation | StructuralSchema,
  value: unknown,
  at: string,
): Problem | undefined {
  if (value === null) return undefined;
  const problem = ownProblem(schema, value);
  if (problem !== undefined) return { at, problem };
  const fails = (branch: NestedValidation): boolean => validationProblem(branch, value, at) !== undefined;
  if (schema.allOf?.some(fails) || schema.anyOf?.every(fails) || (schema.not !== undefined && !fails(schema.not))) {
    return { at, problem: "meets none of the alternatives" };
  }
  if (schema.oneOf !== undefined && schema.oneOf.filter((branch) => !fails(branch)).length !== 1) {
    return { at, problem: "does not meet exactly one of the alternatives" };
  }
  const { items } = schema;
  if (Array.isArray(value) && items !== undefined) {
    return first(value, (item, index) => validationProblem(items, item, `${at}[${index}]`));
  }
  if (!isMap(value)) return undefined;
  const values = "additionalProperties" in schema ? schema.additionalProperties : undefined;
  return first(Object.entries(value), ([name, each]) => {
    const field = values ?? (Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined);
    return field === undefined ? undefined : validationProblem(field, each, `${at}.${name}`);
  });
}

function ownProblem(schema: NestedValidation | StructuralSchema, value: unknown): string | undefined {
  if (schema.enum !== undefined && !schema.enum.some((allowed) => isDeepStrictEqual(allowed, value))) {
    return `is none of ${schema.enum.map((allowed) => JSON.stringify(allowed)).join(", ")}`;
  }
  if (typeof value === "string") return sizeProblem([...value].length, schema.minLength, schema.maxLength, "long");
  if (typeof value === "number") return numberProblem(schema, value);
  if (Array.isArray(value)) return sizeProblem(value.length, schema.minItems, schema.maxItems, "items long");
  if (!isMap(value)) return undefined;
  const missing = schema.required?.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `lacks ${missing}`;
  return sizeProblem(Object.keys(value).length, schema.minProperties, schema.maxProperties, "fields large");
}

function sizeProblem(size: number, min: number | undefined, max: number | undefined, unit: string): string | undefined {
  return size < (min ?? 0) || size > (max ?? Number.POSITIVE_INFINITY) ? `is ${size} ${unit}` : undefined;
}

function numberProblem(schema: NestedValidation | StructuralSchema, value: number): string | undefined {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, multipleOf } = schema;
  if (value < minimum || (schema.exclusiveMinimum === true && value === minimum)) return `is ${value}, too small`;
  if (value > maximum || (schema.exclusiveMaximum === true && value === maximum)) return `is ${value}, too large`;
  return multipleOf !== undefined && !Number.isInteger(value / multipleOf)
    ? `is no multiple of ${multipleOf}`
    : undefined;
}
