import type { ValidationRule } from "farwatch";

/**
 * JSONSchemaProps of apiextensions.k8s.io/v1: a schema as a definition may state it, structural or not. Types of fields
 * are those of Go.
 */
export interface DefinedSchema {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly unknown[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly items?: DefinedSchema | readonly DefinedSchema[];
  readonly allOf?: readonly DefinedSchema[];
  readonly oneOf?: readonly DefinedSchema[];
  readonly anyOf?: readonly DefinedSchema[];
  readonly not?: DefinedSchema;
  readonly properties?: Readonly<Record<string, DefinedSchema>>;
  readonly additionalProperties?: DefinedSchema | boolean;
  readonly patternProperties?: Readonly<Record<string, DefinedSchema>>;
  readonly dependencies?: Readonly<Record<string, DefinedSchema | readonly string[]>>;
  readonly additionalItems?: DefinedSchema | boolean;
  readonly definitions?: Readonly<Record<string, DefinedSchema>>;
  readonly externalDocs?: { readonly description?: string; readonly url?: string };
  readonly example?: unknown;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** The one schema of a list's items; undefined for a list of schemas, which is refused elsewhere. */
export function itemsOf({ items }: DefinedSchema): DefinedSchema | undefined {
  return items === undefined || isTuple(items) ? undefined : items;
}

export function isTuple(
  items: DefinedSchema | readonly DefinedSchema[] | undefined,
): items is readonly DefinedSchema[] {
  return Array.isArray(items);
}

/** The schema of a map's values; undefined for `true` and `false`. */
export function valuesOf({ additionalProperties }: DefinedSchema): DefinedSchema | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** Every schema within a schema, itself first. */
export function* schemasWithin(schema: DefinedSchema): Generator<DefinedSchema> {
  yield schema;
  const { items, not, allOf = [], anyOf = [], oneOf = [], properties = {} } = schema;
  const lists = [
    isTuple(items) ? items : items === undefined ? [] : [items],
    allOf,
    anyOf,
    oneOf,
    not === undefined ? [] : [not],
  ];
  for (const inner of [...lists.flat(), ...Object.values(properties)]) yield* schemasWithin(inner);
  const values = valuesOf(schema);
  if (values !== undefined) yield* schemasWithin(values);
}
