import { isDeepStrictEqual } from "node:util";
import type { JsonObject, SchemaType } from "../wire/structural-schema.ts";

/** Keywords that no structural schema can say, and what to write instead. */
export const impossibleKeywords: Readonly<Record<string, string>> = {
  prefixItems: "is a tuple, and all items of a CRD's list have one schema; write an object with a field for each",
  additionalItems: "is a tuple, and all items of a CRD's list have one schema; write an object with a field for each",
  patternProperties:
    "has keys by pattern, which a CRD cannot say; write a record of strings, and a CEL rule for the keys",
  if: "has if and then, which a CRD cannot say; write a CEL rule",
  dependentRequired: "has dependent fields, which a CRD cannot say; write a CEL rule",
  dependentSchemas: "has dependent fields, which a CRD cannot say; write a CEL rule",
  dependencies: "has dependent fields, which a CRD cannot say; write a CEL rule",
  contains: "asks for certain items, which a CRD cannot say; write a CEL rule",
};

/** Keywords that say something of the value; without any of them a schema takes anything. */
const constrainingKeywords: readonly string[] = [
  ...["type", "enum", "const", "properties", "required", "additionalProperties", "propertyNames", "minProperties"],
  ...["maxProperties", "items", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "pattern", "format"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
];

/** Keywords from which a missing type follows. */
const impliedTypes: readonly (readonly [SchemaType, readonly string[]])[] = [
  ["object", ["properties", "additionalProperties", "required", "minProperties", "maxProperties", "propertyNames"]],
  ["array", ["items", "minItems", "maxItems", "uniqueItems"]],
  ["string", ["pattern", "minLength", "maxLength", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a schema that says something of the value beyond anyOf, oneOf and allOf. */
export function constrains(node: JsonObject): boolean {
  return constrainingKeywords.some((keyword) => keyword in node);
}

/** The types that a schema names, or that follow from what it says. */
export function typesOf(node: JsonObject, allowed: readonly unknown[] | undefined): readonly string[] {
  const type = node.type;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type as readonly string[];
  if (allowed !== undefined) return [...new Set(allowed.map(typeOf))];
  return [impliedTypes.find(([, keywords]) => keywords.some((keyword) => keyword in node))?.[0] ?? "object"];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** True for a value of a JSON Schema type; an integer is a number too. */
export function isOfType(value: unknown, type: string): boolean {
  const own = typeOf(value);
  return own === type || (own === "integer" && type === "number");
}

/** True for what takes any JSON by naming every type of JSON, and itself within lists and objects (zod's z.json). */
export function isAnyJson(node: JsonObject, ref: string): boolean {
  const members = Array.isArray(node.anyOf) ? node.anyOf.filter(isObject) : [];
  const plain = (type: string): boolean =>
    members.some((member) => isDeepStrictEqual(member, { type }) || typesIn(member).includes(type));
  const itself = (type: string, keyword: string): boolean =>
    members.some((member) => member.type === type && isObject(member[keyword]) && member[keyword].$ref === ref);
  return (
    ["string", "number", "boolean"].every(plain) && itself("array", "items") && itself("object", "additionalProperties")
  );
}

/** The types that a schema names when it says nothing else. */
function typesIn(node: JsonObject): readonly unknown[] {
  return Object.keys(node).length === 1 && Array.isArray(node.type) ? node.type : [];
}
