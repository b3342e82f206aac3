import type { ValidationRule } from "farwatch";
import { type DefinedSchema, isTuple } from "./defined-schema.ts";

/** A rule as the server's internal type prints it in an error. */
export function internalRule(rule: ValidationRule): unknown {
  return {
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

function each<T>(list: readonly T[] | undefined, form: (item: T) => unknown): unknown {
  return list === undefined ? null : list.map(form);
}

function values<T>(map: Readonly<Record<string, T>> | undefined, form: (item: T) => unknown): unknown {
  if (map === undefined) return null;
  const names = Object.keys(map).sort();
  return Object.fromEntries(names.map((name) => [name, form(map[name] as T)]));
}

function orBool(schema: DefinedSchema | boolean | undefined): unknown {
  if (schema === undefined) return null;
  return typeof schema === "boolean"
    ? { Allows: schema, Schema: null }
    : { Allows: true, Schema: internalSchema(schema) };
}

function isNames(value: DefinedSchema | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}

/** A schema as the server's internal type prints it in an error: every field, in the order of the Go type. */
export function internalSchema(schema: DefinedSchema): unknown {
  const { items, externalDocs } = schema;
  return {
    ID: schema.id ?? "",
    Schema: schema.$schema ?? "",
    Ref: schema.$ref ?? null,
    Description: schema.description ?? "",
    Type: schema.type ?? "",
    Nullable: schema.nullable ?? false,
    Format: schema.format ?? "",
    Title: schema.title ?? "",
    Default: schema.default ?? null,
    Maximum: schema.maximum ?? null,
    ExclusiveMaximum: schema.exclusiveMaximum ?? false,
    Minimum: schema.minimum ?? null,
    ExclusiveMinimum: schema.exclusiveMinimum ?? false,
    MaxLength: schema.maxLength ?? null,
    MinLength: schema.minLength ?? null,
    Pattern: schema.pattern ?? "",
    MaxItems: schema.maxItems ?? null,
    MinItems: schema.minItems ?? null,
    UniqueItems: schema.uniqueItems ?? false,
    MultipleOf: schema.multipleOf ?? null,
    Enum: schema.enum ?? null,
    MaxProperties: schema.maxProperties ?? null,
    MinProperties: schema.minProperties ?? null,
    Required: schema.required ?? null,
    Items:
      items === undefined
        ? null
        : isTuple(items)
          ? { Schema: null, JSONSchemas: items.map(internalSchema) }
          : { Schema: internalSchema(items), JSONSchemas: null },
    AllOf: each(schema.allOf, internalSchema),
    OneOf: each(schema.oneOf, internalSchema),
    AnyOf: each(schema.anyOf, internalSchema),
    Not: schema.not === undefined ? null : internalSchema(schema.not),
    Properties: values(schema.properties, internalSchema),
    AdditionalProperties: orBool(schema.additionalProperties),
    PatternProperties: values(schema.patternProperties, internalSchema),
    Dependencies: values(schema.dependencies, (one) =>
      isNames(one) ? { Schema: null, Property: one } : { Schema: internalSchema(one), Property: null },
    ),
    AdditionalItems: orBool(schema.additionalItems),
    Definitions: values(schema.definitions, internalSchema),
    ExternalDocs:
      externalDocs === undefined ? null : { Description: externalDocs.description ?? "", URL: externalDocs.url ?? "" },
    Example: schema.example ?? null,
    XPreserveUnknownFields: schema["x-kubernetes-preserve-unknown-fields"] ?? null,
    XEmbeddedResource: schema["x-kubernetes-embedded-resource"] ?? false,
    XIntOrString: schema["x-kubernetes-int-or-string"] ?? false,
    XListMapKeys: schema["x-kubernetes-list-map-keys"] ?? null,
    XListType: schema["x-kubernetes-list-type"] ?? null,
    XMapType: schema["x-kubernetes-map-type"] ?? null,
    XValidations: each(schema["x-kubernetes-validations"], internalRule),
  };
}

/** Fields of the internal type that may stand at the root where status is a subresource. */
export const allowedAtRoot: readonly string[] =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations".split(
    " ",
  );
