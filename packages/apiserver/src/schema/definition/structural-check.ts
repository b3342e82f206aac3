import {
  addErrors,
  type FieldError,
  fieldErrorsText,
  forbiddenField,
  invalidValue,
  required,
} from "../../failure/field-error.ts";
import { own, sameJson } from "../plain-object.ts";
import { compileRegexp } from "../regular-expression.ts";
import { type DefinedSchema, itemsOf, valuesOf } from "./defined-schema.ts";

type Level = "field" | "item" | "root";

const integerOrString: readonly DefinedSchema[] = [{ type: "integer" }, { type: "string" }];

/**
 * Whether a schema is structural: every value has a type outside of allOf, anyOf, oneOf and not; those only restrict
 * fields that stand outside of them too. The errors come sorted by their texts.
 */
export function validateStructural(schema: DefinedSchema, at: string): readonly FieldError[] {
  const errors = [...invariants(schema, "root", at), ...completeness(schema, schema, at, at)];
  const keyed = errors.map((error) => ({ error, text: fieldErrorsText([error]) }));
  return keyed.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)).map(({ error }) => error);
}

function invariants(schema: DefinedSchema, level: Level, at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { type = "", properties = {}, additionalProperties } = schema;
  const items = itemsOf(schema);
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true;
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (type === "array" && items === undefined) errors.push(required(`${at}.items`, "must be specified"));
  if (items !== undefined) addErrors(errors, invariants(items, "item", `${at}.items`));
  for (const [name, property] of Object.entries(properties)) {
    addErrors(errors, invariants(property, "field", `${at}.properties[${name}]`));
  }
  if (additionalProperties !== undefined) {
    if (level === "root") errors.push(forbiddenField(`${at}.additionalProperties`, "must not be used at the root"));
    const values = valuesOf(schema);
    if (values !== undefined) addErrors(errors, invariants(values, "field", `${at}.additionalProperties`));
  }
  if (isIntOrString && keepsUnknown) {
    errors.push(
      invalidValue(
        `${at}.x-kubernetes-preserve-unknown-fields`,
        true,
        "must be false if x-kubernetes-int-or-string is true",
      ),
    );
  }
  if (isIntOrString && isEmbedded) {
    errors.push(
      invalidValue(`${at}.x-kubernetes-embedded-resource`, true, "must be false if x-kubernetes-int-or-string is true"),
    );
  }
  addErrors(
    errors,
    valueValidation(schema, isIntOrStringPattern(schema.anyOf), isIntOrStringPattern(schema.allOf?.[0]?.anyOf), at),
  );
  if (isEmbedded && type !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(`${at}.type`, why) : invalidValue(`${at}.type`, type, why));
  } else if (type === "" && !isIntOrString && !keepsUnknown) {
    const why = { root: "at the root", item: "for specified array items", field: "for specified object fields" }[level];
    errors.push(required(`${at}.type`, `must not be empty ${why}`));
  }
  if (isEmbedded && additionalProperties !== undefined) {
    errors.push(
      forbiddenField(`${at}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"),
    );
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalidValue(`${at}.type`, type, "must be object at the root"));
  }
  addErrors(errors, metaErrors(properties, level, level === "root" || isEmbedded, at));
  if (isEmbedded && !keepsUnknown && Object.keys(properties).length === 0) {
    const why =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(`${at}.properties`, why));
  }
  return errors;
}

/** What may be said of apiVersion, kind and metadata of an object, which has them anyway. */
function metaErrors(
  properties: Readonly<Record<string, DefinedSchema>>,
  level: Level,
  isObject: boolean,
  at: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["kind", "apiVersion"]) {
    const type = own(properties, name)?.type ?? "";
    if (isObject && Object.hasOwn(properties, name) && type !== "string") {
      errors.push(invalidValue(`${at}.properties[${name}].type`, type, "must be string"));
    }
  }
  const metadata = own(properties, "metadata");
  if (metadata === undefined) return errors;
  const place = `${at}.properties[metadata]`;
  if (isObject && metadata.type !== "object") {
    errors.push(invalidValue(`${place}.type`, metadata.type ?? "", "must be object"));
  }
  if (level !== "root") return errors;
  const { type: _type, default: _default, properties: fields = {}, ...rest } = metadata;
  const names = Object.keys(fields);
  const isNameOnly = names.every((name) => name === "name" || name === "generateName");
  if (!isNameOnly || Object.keys(rest).length > 0) {
    const why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(forbiddenField(place, why));
  }
  return errors;
}

function isIntOrStringPattern(anyOf: readonly DefinedSchema[] | undefined): boolean {
  return sameJson(anyOf, integerOrString);
}

function valueValidation(
  schema: DefinedSchema,
  skipAnyOf: boolean,
  skipFirstAllOf: boolean,
  at: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { anyOf = [], allOf = [], oneOf = [], not, pattern = "" } = schema;
  if (!skipAnyOf)
    for (const [index, one] of anyOf.entries()) addErrors(errors, nested(one, false, `${at}.anyOf[${index}]`));
  for (const [index, one] of allOf.entries()) {
    addErrors(errors, nested(one, skipFirstAllOf && index === 0, `${at}.allOf[${index}]`));
  }
  for (const [index, one] of oneOf.entries()) addErrors(errors, nested(one, false, `${at}.oneOf[${index}]`));
  if (not !== undefined) addErrors(errors, nested(not, false, `${at}.not`));
  const compiled = pattern === "" ? undefined : compileRegexp(pattern);
  if (compiled !== undefined && "error" in compiled) {
    errors.push(
      invalidValue(`${at}.pattern`, pattern, `must be a valid regular expression, but isn't: ${compiled.error}`),
    );
  }
  return errors;
}

interface NestedRule {
  readonly field: keyof DefinedSchema;
  readonly must: string;
  readonly isSet: (schema: DefinedSchema) => boolean;
}

const isTrue =
  (field: keyof DefinedSchema) =>
  (schema: DefinedSchema): boolean =>
    schema[field] === true;
const isText =
  (field: keyof DefinedSchema) =>
  (schema: DefinedSchema): boolean =>
    (schema[field] ?? "") !== "";
const isPresent =
  (field: keyof DefinedSchema) =>
  (schema: DefinedSchema): boolean =>
    (schema[field] ?? undefined) !== undefined;
const isFilled =
  (field: keyof DefinedSchema) =>
  (schema: DefinedSchema): boolean => {
    const list = schema[field];
    return Array.isArray(list) && list.length > 0;
  };

/** What may not stand within allOf, anyOf, oneOf and not. */
const nestedRules: readonly NestedRule[] = [
  { field: "type", must: "be empty", isSet: isText("type") },
  {
    field: "additionalProperties",
    must: "be undefined",
    isSet: ({ additionalProperties }) => additionalProperties !== undefined && additionalProperties !== false,
  },
  { field: "default", must: "be undefined", isSet: isPresent("default") },
  { field: "title", must: "be empty", isSet: isText("title") },
  { field: "description", must: "be empty", isSet: isText("description") },
  { field: "nullable", must: "be false", isSet: isTrue("nullable") },
  {
    field: "x-kubernetes-preserve-unknown-fields",
    must: "be false",
    isSet: isTrue("x-kubernetes-preserve-unknown-fields"),
  },
  { field: "x-kubernetes-embedded-resource", must: "be false", isSet: isTrue("x-kubernetes-embedded-resource") },
  { field: "x-kubernetes-int-or-string", must: "be false", isSet: isTrue("x-kubernetes-int-or-string") },
  { field: "x-kubernetes-list-map-keys", must: "be empty", isSet: isFilled("x-kubernetes-list-map-keys") },
  { field: "x-kubernetes-list-type", must: "be undefined", isSet: isPresent("x-kubernetes-list-type") },
  { field: "x-kubernetes-map-type", must: "be undefined", isSet: isPresent("x-kubernetes-map-type") },
  { field: "x-kubernetes-validations", must: "be empty", isSet: isFilled("x-kubernetes-validations") },
];

function nested(schema: DefinedSchema, skipAnyOf: boolean, at: string): readonly FieldError[] {
  const errors: FieldError[] = [...valueValidation(schema, skipAnyOf, false, at)];
  const items = itemsOf(schema);
  if (items !== undefined) addErrors(errors, nested(items, false, `${at}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    addErrors(errors, nested(property, false, `${at}.properties[${name}]`));
  }
  for (const { field, must, isSet } of nestedRules) {
    if (isSet(schema)) errors.push(forbiddenField(`${at}.${field}`, `must ${must} to be structural`));
  }
  if (own(schema.properties, "metadata") !== undefined) {
    errors.push(forbiddenField(`${at}.properties[metadata]`, "must not be specified in a nested context"));
  }
  return errors;
}

/** Fields that are restricted within a combination, but stand nowhere outside. */
function completeness(
  schema: DefinedSchema,
  structure: DefinedSchema | undefined,
  at: string,
  from: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { not, allOf = [], anyOf = [], oneOf = [] } = schema;
  if (not !== undefined) addErrors(errors, nestedCompleteness(not, structure, at, `${from}.not`));
  for (const [name, list] of Object.entries({ allOf, anyOf, oneOf })) {
    for (const [index, one] of list.entries())
      addErrors(errors, nestedCompleteness(one, structure, at, `${from}.${name}[${index}]`));
  }
  return errors;
}

function nestedCompleteness(
  schema: DefinedSchema,
  structure: DefinedSchema | undefined,
  at: string,
  from: string,
): readonly FieldError[] {
  if (structure === undefined) return [required(at, `because it is defined in ${from}`)];
  const errors: FieldError[] = [...completeness(schema, structure, at, from)];
  const items = itemsOf(schema);
  if (items !== undefined)
    addErrors(errors, nestedCompleteness(items, itemsOf(structure), `${at}.items`, `${from}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const below = `${at}.properties[${name}]`;
    const source = `${from}.properties[${name}]`;
    const known = own(structure.properties, name);
    if (known === undefined) errors.push(required(below, `because it is defined in ${source}`));
    else addErrors(errors, nestedCompleteness(property, known, below, source));
  }
  return errors;
}
