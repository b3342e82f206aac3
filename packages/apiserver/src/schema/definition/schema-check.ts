import {
  addErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../failure/field-error.ts";
import { own } from "../plain-object.ts";
import { schemaPath } from "../schema-path.ts";
import type { ServedSchema } from "../served-schema.ts";
import { type MetaChecks, validateDefaults } from "./default-check.ts";
import { type DefinedSchema, isTuple, itemsOf, valuesOf } from "./defined-schema.ts";
import { allowedAtRoot, internalSchema } from "./internal-form.ts";
import { createRuleCosts, type RuleCosts, type RulePlace, totalCostErrors, validateRuleTexts } from "./rule-check.ts";
import { servedSchema } from "./serve-schema.ts";
import { validateStructural } from "./structural-check.ts";

const types = ["array", "boolean", "integer", "number", "object", "string"];
const metaFields: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

export interface SchemaCheckOptions extends MetaChecks {
  /** Where the schema stands: `spec.validation.openAPIV3Schema`. */
  readonly at: string;
  readonly hasStatus: boolean;
  /** The schema was there before, so that its rules may cost what they do. */
  readonly unchanged: boolean;
}

/** All that is wrong with the schema of a version of a CustomResourceDefinition, in the order of the real server. */
export function validateDefinedSchema(schema: DefinedSchema, options: SchemaCheckOptions): readonly FieldError[] {
  const { at } = options;
  const errors: FieldError[] = [...(options.hasStatus ? rootErrors(schema, at) : [])];
  if (schema.nullable === true) errors.push(forbiddenField(`${at}.nullable`, "nullable cannot be true at the root"));
  const unsupported = unsupportedField(schema);
  let costs: RuleCosts | undefined;
  if (unsupported === undefined) {
    const structural = validateStructural(schema, at);
    const defaults = structural.length > 0 ? [] : validateDefaults(servedSchema(schema), at, options);
    addErrors(errors, structural);
    addErrors(errors, defaults);
    // Rules are compiled only where the types of all values are known.
    if (structural.length === 0 && defaults.length === 0) costs = createRuleCosts(options.unchanged);
  }
  const found: Found = { schema: [], rules: [] };
  const place: Place = { isRoot: true, insideMeta: false, noDefaults: undefined, uncorrelated: undefined };
  checkSchema(schema, at, place, costs === undefined ? undefined : { costs, cardinality: 1 }, found);
  addErrors(errors, found.schema);
  addErrors(errors, found.rules);
  if (errors.length === 0 && unsupported !== undefined) errors.push(invalidValue(at, "", unsupported));
  if (costs !== undefined) addErrors(errors, totalCostErrors(costs, at));
  return errors;
}

function rootErrors(schema: DefinedSchema, at: string): readonly FieldError[] {
  const type = schema.type ?? "";
  const internal = internalSchema(schema) as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(internal)) {
    if (value === null || value === "" || value === false) continue;
    if (name === "Type") {
      if (type === "object") continue;
      const why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalidValue(`${at}.type`, type, why)];
    }
    if (allowedAtRoot.includes(name)) continue;
    const why = `only [${allowedAtRoot.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [invalidValue(at, internal, why)];
  }
  return [];
}

/** What keeps a schema from being read at all; said only where nothing else is wrong. */
function unsupportedField(schema: DefinedSchema): string | undefined {
  if (isTuple(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  const checks: readonly [string, boolean][] = [
    ["id", (schema.id ?? "") !== ""],
    ["schema", (schema.$schema ?? "") !== ""],
    ["$ref", (schema.$ref ?? "") !== ""],
    ["patternProperties", Object.keys(schema.patternProperties ?? {}).length > 0],
    ["dependencies", Object.keys(schema.dependencies ?? {}).length > 0],
    ["additionalItems", schema.additionalItems !== undefined],
    ["definitions", Object.keys(schema.definitions ?? {}).length > 0],
  ];
  const name = checks.find(([, isSet]) => isSet)?.[0];
  if (name !== undefined) return `OpenAPIV3Schema '${name}' is not supported`;
  const inner = [
    itemsOf(schema),
    valuesOf(schema),
    schema.not,
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...Object.values(schema.properties ?? {}),
  ];
  for (const one of inner) {
    const found = one === undefined ? undefined : unsupportedField(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Place {
  readonly isRoot: boolean;
  /** Within apiVersion, kind or metadata of an object. */
  readonly insideMeta: boolean;
  /** Why no default may be set here; undefined where one may. */
  readonly noDefaults: string | undefined;
  /** The first list or map on the way whose items have no former value. */
  readonly uncorrelated: string | undefined;
}

interface Found {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

function checkSchema(
  schema: DefinedSchema,
  at: string,
  place: Place,
  rules: RulePlace | undefined,
  found: Found,
): void {
  const before = found.schema.length;
  const errors = found.schema;
  addErrors(errors, basicErrors(schema, at, place));
  if (schema.uniqueItems === true) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbiddenField(`${at}.uniqueItems`, why));
  }
  checkChildren(schema, at, place, rules, found);
  addErrors(errors, extensionErrors(schema, at));
  addErrors(errors, listErrors(schema, at));
  const validations = schema["x-kubernetes-validations"] ?? [];
  if (validations.length === 0) return;
  const served = unsupportedField(schema) === undefined ? servedSchema(schema) : undefined;
  addErrors(
    errors,
    validateRuleTexts(validations, at, (path) => served === undefined || isPath(served, path)),
  );
  if (errors.length === before && rules !== undefined && served !== undefined) {
    const isRoot = place.isRoot || schema["x-kubernetes-embedded-resource"] === true;
    addErrors(
      found.rules,
      rules.costs.check(served, { at, isRoot, cardinality: rules.cardinality, uncorrelated: place.uncorrelated }),
    );
  }
}

function isPath(schema: ServedSchema, path: string): boolean {
  return "path" in schemaPath(schema, path, { brackets: true });
}

function checkChildren(
  schema: DefinedSchema,
  at: string,
  place: Place,
  rules: RulePlace | undefined,
  found: Found,
): void {
  const { properties = {}, additionalProperties, items, not } = schema;
  const below = childRules(schema, rules);
  const inner: Place = { ...place, isRoot: false };
  const values = valuesOf(schema);
  if (additionalProperties !== undefined) {
    if (Object.keys(properties).length > 0 && additionalProperties !== true) {
      found.schema.push(
        forbiddenField(`${at}.additionalProperties`, "additionalProperties and properties are mutual exclusive"),
      );
    }
    const noDefaults = place.insideMeta ? "inside additionalProperties applying to object metadata" : place.noDefaults;
    if (values !== undefined) checkSchema(values, `${at}.additionalProperties`, { ...inner, noDefaults }, below, found);
  }
  for (const [name, property] of Object.entries(properties)) {
    const isMeta = (place.isRoot || schema["x-kubernetes-embedded-resource"] === true) && metaFields.has(name);
    const forMeta: Place = {
      ...inner,
      insideMeta: true,
      noDefaults: place.isRoot ? `in top-level ${name}` : inner.noDefaults,
    };
    checkSchema(property, `${at}.properties[${name}]`, isMeta ? forMeta : inner, below, found);
  }
  if (not !== undefined) checkSchema(not, `${at}.not`, inner, undefined, found);
  for (const name of ["allOf", "oneOf", "anyOf"] as const) {
    for (const [index, one] of (schema[name] ?? []).entries())
      checkSchema(one, `${at}.${name}[${index}]`, inner, undefined, found);
  }
  for (const [name, one] of Object.entries(schema.definitions ?? {})) {
    checkSchema(one, `${at}.definitions[${name}]`, inner, undefined, found);
  }
  if (items === undefined) return;
  const isMap = schema["x-kubernetes-list-type"] === "map";
  const ofItems: Place = { ...inner, uncorrelated: isMap ? inner.uncorrelated : (inner.uncorrelated ?? at) };
  if (!isTuple(items)) checkSchema(items, `${at}.items`, ofItems, below, found);
  else for (const [index, one] of items.entries()) checkSchema(one, `${at}.items[${index}]`, ofItems, below, found);
}

/** How often values of a child can stand in one object. */
function childRules(schema: DefinedSchema, rules: RulePlace | undefined): RulePlace | undefined {
  if (rules === undefined) return undefined;
  const { type, additionalProperties, maxItems, maxProperties } = schema;
  let factor: number | undefined = 1;
  if (type === "array") factor = maxItems === undefined ? undefined : Math.max(0, maxItems);
  if (type === "object" && additionalProperties !== undefined) {
    factor = maxProperties === undefined ? undefined : Math.max(0, maxProperties);
  }
  const { cardinality } = rules;
  return {
    costs: rules.costs,
    cardinality: cardinality === undefined || factor === undefined ? undefined : cardinality * factor,
  };
}

function basicErrors(schema: DefinedSchema, at: string, { noDefaults, insideMeta }: Place): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { type = "" } = schema;
  const refuse = (name: string, why = `${name} is not supported`): void => {
    errors.push(forbiddenField(`${at}.${name}`, why));
  };
  if (type !== "" && !types.includes(type)) errors.push(notSupported(`${at}.type`, type, types));
  if ((schema.default ?? null) !== null && noDefaults !== undefined) refuse("default", `must not be set ${noDefaults}`);
  if ((schema.id ?? "") !== "") refuse("id");
  if (schema.additionalItems !== undefined) refuse("additionalItems");
  if (Object.keys(schema.patternProperties ?? {}).length > 0) refuse("patternProperties");
  if (Object.keys(schema.definitions ?? {}).length > 0) refuse("definitions");
  if (schema.dependencies !== undefined) refuse("dependencies");
  if (schema.$ref !== undefined) refuse("$ref");
  if (type === "null") refuse("type", "type cannot be set to null, use nullable as an alternative");
  if (isTuple(schema.items) && schema.items.length > 0)
    refuse("items", "items must be a schema object and not an array");
  if (insideMeta && schema["x-kubernetes-embedded-resource"] === true) {
    refuse("x-kubernetes-embedded-resource", "must not be used inside of resource meta");
  }
  return errors;
}

function extensionErrors(schema: DefinedSchema, at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { type = "" } = schema;
  const listType = schema["x-kubernetes-list-type"];
  const mapType = schema["x-kubernetes-map-type"];
  const mustBe = (wanted: string, extension: string): void => {
    const why = `must be ${wanted} if ${extension} is specified`;
    errors.push(type === "" ? required(`${at}.type`, why) : invalidValue(`${at}.type`, type, why));
  };
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    errors.push(invalidValue(`${at}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  if (mapType !== undefined && type !== "object") mustBe("object", "x-kubernetes-map-type");
  if (mapType !== undefined && mapType !== "atomic" && mapType !== "granular") {
    errors.push(unsupported(`${at}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  if (listType !== undefined && type !== "array") mustBe("array", "x-kubernetes-list-type");
  else if (listType === "set") addErrors(errors, setItemErrors(schema, at));
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType)) {
    errors.push(unsupported(`${at}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  }
  return errors;
}

/** Not sorted, unlike most. */
function unsupported(field: string, value: string, supported: readonly string[]): FieldError {
  const detail = `supported values: ${supported.map((one) => JSON.stringify(one)).join(", ")}`;
  return { type: "NotSupported", field, value, detail };
}

function setItemErrors(schema: DefinedSchema, at: string): readonly FieldError[] {
  const items = itemsOf(schema);
  const listType = items?.["x-kubernetes-list-type"];
  const why = "must be atomic as item of a list with x-kubernetes-list-type=set";
  if (items?.type === "array" && listType !== undefined && listType !== "atomic") {
    return [invalidValue(`${at}.items.x-kubernetes-list-type`, listType, why)];
  }
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    return [invalidValue(`${at}.items.x-kubernetes-map-type`, listType ?? null, why)];
  }
  return [];
}

function listErrors(schema: DefinedSchema, at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const items = itemsOf(schema);
  if (keys.length > 0 && listType !== "map") {
    const why = "must be map if x-kubernetes-list-map-keys is non-empty";
    const field = `${at}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(field, why) : invalidValue(field, listType, why));
  }
  if (listType === "map") {
    if (keys.length === 0) {
      errors.push(required(`${at}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map"));
    }
    if (schema.items === undefined) {
      errors.push(required(`${at}.items`, "must have a schema if x-kubernetes-list-type is map"));
    }
    if (items !== undefined && items.type !== "object") {
      const why = "must be object if parent array's x-kubernetes-list-type is map";
      errors.push(invalidValue(`${at}.items.type`, items.type ?? "", why));
    }
    if (items?.type === "object") addErrors(errors, keyErrors(items, keys, at));
  }
  if (items !== undefined && (listType === "map" || listType === "set")) {
    addErrors(errors, identityErrors(items, listType, keys, at));
  }
  return errors;
}

function keyErrors(items: DefinedSchema, keys: readonly string[], at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const place = `${at}.x-kubernetes-list-map-keys`;
  const seen = new Set<string>();
  for (const key of keys) {
    const property = own(items.properties, key);
    if (property === undefined) errors.push(invalidValue(place, keys, "entries must all be names of item properties"));
    else if (property.type === "array" || property.type === "object") {
      const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalidValue(`${at}.items.properties[${key}].type`, items.type, why));
    }
    if (seen.has(key)) errors.push(invalidValue(place, keys, "must not contain duplicate entries"));
    seen.add(key);
  }
  return errors;
}

/** What tells items apart must be there. */
function identityErrors(
  items: DefinedSchema,
  listType: "map" | "set",
  keys: readonly string[],
  at: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (items.nullable === true) {
    errors.push(
      forbiddenField(`${at}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  }
  if (listType === "set") return errors;
  for (const key of keys) {
    const property = own(items.properties, key);
    if (property === undefined) continue;
    const place = `${at}.items.properties[${key}]`;
    if (!(items.required ?? []).includes(key) && (property.default ?? null) === null) {
      const why = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
      errors.push(required(`${place}.default`, why));
    }
    if (property.nullable === true) {
      const why = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
      errors.push(forbiddenField(`${place}.nullable`, why));
    }
  }
  return errors;
}
