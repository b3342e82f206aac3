import type { NestedValidation, ValueValidation } from "farwatch";
import { type FieldError, invalidValue, required, tooLong, tooMany } from "../failure/field-error.ts";
import { goNumber } from "../failure/go-number.ts";
import { type Correlated, correlatedField, correlatedItem, isUnchanged } from "./correlation.ts";
import { isObject, own, sameJson, sortedJson } from "./plain-object.ts";
import { compileRegexp } from "./regular-expression.ts";
import type { ServedSchema } from "./served-schema.ts";
import { hasFormat, isKnownFormat } from "./string-format.ts";

export interface ValidateOptions {
  /** What the value was before this update: what is wrong with an unchanged part is then tolerated (ratcheting). */
  readonly old?: unknown;
  /** The field that the value is of: `status` where a status alone is checked. Default: the whole object. */
  readonly at?: string;
}

/** A schema of either kind: structural, or within `allOf` and its like. */
type AnySchema = (NestedValidation | ServedSchema) &
  Pick<ServedSchema, "additionalProperties" | "nullable" | "x-kubernetes-int-or-string">;

/** What a check found, and how many checks held: the best of several failed alternatives is the one with most. */
interface Result {
  readonly errors: FieldError[];
  matches: number;
}

interface Walk {
  readonly at: string;
}

/**
 * What is wrong with a value by its schema: types, formats, limits, required fields, enums and logical combinations, in the
 * words of kube-openapi's validator. Lists of type set and map, embedded resources and rules are checked elsewhere.
 */
export function validateSchema(
  schema: ServedSchema,
  value: unknown,
  options: ValidateOptions = {},
): readonly FieldError[] {
  const node = options.old === undefined ? undefined : { schema, value, old: options.old };
  return checked(schema, value, "", () => node, { at: options.at ?? "" }).errors;
}

/** Finds what a value was before; only asked for when something is wrong with it. */
type Former = () => Correlated | undefined;

const nothing: Former = () => undefined;

function checked(schema: AnySchema, value: unknown, path: string, former: Former, walk: Walk): Result {
  const result = check(schema, value, path, former, walk);
  return result.errors.length > 0 && isUnchanged(former()) ? { errors: [], matches: result.matches } : result;
}

function check(schema: AnySchema, value: unknown, path: string, former: Former, walk: Walk): Result {
  const result: Result = { errors: [], matches: 0 };
  if (value === null || value === undefined) {
    merge(result, checkType(schema, null, path, walk));
    merge(result, checkEnum(schema, null, path, walk));
    return result;
  }
  const { format = "" } = schema;
  if (typesOf(schema).length > 0 || isKnownFormat(format)) counted(result, checkType(schema, value, path, walk));
  counted(result, checkCombinations(schema, value, path, former, walk));
  if (typeof value === "string") {
    counted(result, checkString(schema, value, path, walk));
    if (isKnownFormat(format)) counted(result, checkFormat(format, value, path, walk));
  }
  if (typeof value === "number") counted(result, checkNumber(schema, value, path, walk));
  if (Array.isArray(value)) counted(result, checkList(schema, value, path, former, walk));
  counted(result, checkEnum(schema, value, path, walk));
  if (isObject(value)) counted(result, checkObject(schema, value, path, former, walk));
  result.matches += 1;
  return result;
}

function merge(into: Result, from: Result): void {
  into.errors.push(...from.errors);
  into.matches += from.matches;
}

function counted(into: Result, from: Result): void {
  merge(into, from);
  into.matches += 1;
}

function passed(matches = 0): Result {
  return { errors: [], matches };
}

function failed(...errors: FieldError[]): Result {
  return { errors, matches: 0 };
}

/** `spec.a` below the object, `status.a` below a status; the whole object has no name. */
function fieldOf(path: string, walk: Walk): string {
  const inner = path.replace(/^\./, "");
  if (walk.at === "") return inner === "" ? "<nil>" : inner;
  return inner === "" ? walk.at : `${walk.at}.${inner}`;
}

function wrong(path: string, walk: Walk, value: unknown, why: string): FieldError {
  return invalidValue(fieldOf(path, walk), value, `${path} in body ${why}`);
}

function typesOf(schema: AnySchema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** Whether Go read it as an int64. */
function isInteger(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

function wrongType(path: string, walk: Walk, type: string, value: string): FieldError {
  return {
    type: "TypeInvalid",
    field: fieldOf(path, walk),
    value,
    detail: `${path} in body must be of type ${type}: ${JSON.stringify(value)}`,
  };
}

function checkType(schema: AnySchema, value: unknown, path: string, walk: Walk): Result {
  const types = typesOf(schema);
  const type = typeOf(value);
  if (value === null) {
    return types.length > 0 && schema.nullable !== true
      ? failed(wrongType(path, walk, types.join(","), "null"))
      : passed(1);
  }
  const fits = types.includes(type) || (type === "integer" && types.includes("number"));
  const { format = "" } = schema;
  if (isKnownFormat(format)) {
    const textual = type === "string" || type === "array";
    if (textual && !types.includes("number") && !types.includes("integer")) return passed(1);
    // The format of a Go value is that of its number type, or none.
    const own = type === "integer" ? "int64" : type === "number" ? "float64" : "";
    if (!textual && !fits) return failed(wrongType(path, walk, format, own));
  }
  return fits ? passed(1) : failed(wrongType(path, walk, types.join(","), type));
}

function checkFormat(format: string, value: string, path: string, walk: Walk): Result {
  if (hasFormat(format, value)) return passed();
  return failed(wrongType(path, walk, format, value));
}

function checkEnum(schema: AnySchema, value: unknown, path: string, walk: Walk): Result {
  const { enum: allowed } = schema;
  if (
    allowed === undefined ||
    allowed.length === 0 ||
    (value !== null && allowed.some((one) => sameJson(one, value)))
  ) {
    return passed();
  }
  const words = allowed.map((one) => JSON.stringify(typeof one === "string" ? one : JSON.stringify(one)));
  return failed({
    type: "NotSupported",
    field: fieldOf(path, walk),
    value: sortedJson(value),
    detail: `supported values: ${words.join(", ")}`,
  });
}

function checkString({ maxLength, minLength, pattern }: AnySchema, value: string, path: string, walk: Walk): Result {
  if (maxLength !== undefined || minLength !== undefined) {
    let length = 0;
    for (const _ of value) length += 1;
    if (maxLength !== undefined && length > maxLength) return failed(tooLong(fieldOf(path, walk), maxLength));
    if (minLength !== undefined && length < minLength) {
      return failed(wrong(path, walk, value, `should be at least ${minLength} chars long`));
    }
  }
  if (pattern === undefined || pattern === "") return passed();
  const compiled = compileRegexp(pattern);
  if ("error" in compiled) {
    return failed(wrong(path, walk, value, `should match '${pattern}, but pattern is invalid: ${compiled.error}'`));
  }
  return compiled.regexp.test(value) ? passed() : failed(wrong(path, walk, value, `should match '${pattern}'`));
}

function checkNumber(schema: AnySchema, value: number, path: string, walk: Walk): Result {
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const result = passed(1);
  // Go compares an int64 with the limit cut to an int64.
  const limit = (bound: number): number => (isInteger(value) ? Math.trunc(bound) : bound);
  if (multipleOf !== undefined) {
    const factor = limit(multipleOf);
    if (factor <= 0) {
      const why = `factor MultipleOf declared for ${path} must be positive: ${goNumber(factor)}`;
      result.errors.push(invalidValue(fieldOf(path, walk), factor, why));
    } else if (!isMultiple(value, factor)) {
      result.errors.push(wrong(path, walk, value, `should be a multiple of ${goNumber(factor)}`));
    }
  }
  if (minimum !== undefined) {
    const bound = limit(minimum);
    if (exclusiveMinimum ? value <= bound : value < bound) {
      const words = exclusiveMinimum ? "greater than" : "greater than or equal to";
      result.errors.push(wrong(path, walk, value, `should be ${words} ${goNumber(bound)}`));
    }
  }
  if (maximum !== undefined) {
    const bound = limit(maximum);
    if (exclusiveMaximum ? value >= bound : value > bound) {
      const words = exclusiveMaximum ? "less than" : "less than or equal to";
      result.errors.push(wrong(path, walk, value, `should be ${words} ${goNumber(bound)}`));
    }
  }
  return result;
}

function isMultiple(value: number, factor: number): boolean {
  if (isInteger(value)) return value % factor === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  const nearest = Math.round(quotient);
  // Go allows for the error of the division.
  return Math.abs(quotient - nearest) < 1e-9 * Math.max(1, Math.abs(quotient));
}

function checkList(schema: AnySchema, value: readonly unknown[], path: string, former: Former, walk: Walk): Result {
  const result = passed(1);
  const { items, minItems, maxItems } = schema;
  if (items !== undefined) {
    for (const [index, item] of value.entries()) {
      merge(
        result,
        checked(items, item, `${path}[${index}]`, () => correlatedItem(former(), index), walk),
      );
    }
  }
  if (minItems !== undefined && value.length < minItems) {
    result.errors.push(wrong(path, walk, value.length, `should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && value.length > maxItems)
    result.errors.push(tooMany(fieldOf(path, walk), value.length, maxItems));
  return result;
}

function checkObject(
  schema: AnySchema,
  value: Readonly<Record<string, unknown>>,
  path: string,
  former: Former,
  walk: Walk,
): Result {
  const result = passed();
  const { properties, additionalProperties, minProperties, maxProperties } = schema;
  const names = Object.keys(value);
  if (minProperties !== undefined && names.length < minProperties) {
    result.errors.push(wrong(path, walk, names.length, `should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    result.errors.push(tooMany(fieldOf(path, walk), names.length, maxProperties));
  }
  // A change of apiVersion cannot be seen, so what is wrong with it is never tolerated.
  const formerOf = (name: string): Former =>
    path === "" && (name === "kind" || name === "apiVersion") ? nothing : () => correlatedField(former(), name);
  if (additionalProperties !== undefined) {
    for (const name of names.sort()) {
      if (own<AnySchema>(properties, name) !== undefined) continue;
      merge(result, checked(additionalProperties, value[name], `${path}.${name}`, formerOf(name), walk));
    }
  }
  for (const [name, field] of Object.entries<AnySchema>(properties ?? {})) {
    if (!Object.hasOwn(value, name)) continue;
    merge(result, checked(field, value[name], path === "" ? name : `${path}.${name}`, formerOf(name), walk));
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) result.errors.push(required(fieldOf(`${path}.${name}`, walk)));
  }
  return result;
}

/** allOf, anyOf, oneOf and not. That a combination fails is said of the whole object, with the field in its text. */
function checkCombinations(schema: ValueValidation, value: unknown, path: string, former: Former, walk: Walk): Result {
  const result = passed();
  const inner = (one: NestedValidation): Result => check(one, value, path, former, walk);
  const fail = (why: string): void => {
    result.errors.push(invalidValue(walk.at === "" ? "<nil>" : walk.at, "", `${JSON.stringify(path)} ${why}`));
  };
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  if (anyOf.length > 0) {
    const results: Result[] = [];
    for (const one of anyOf) {
      results.push(inner(one));
      if (results.at(-1)?.errors.length === 0) break;
    }
    const last = results.at(-1);
    if (last !== undefined && last.errors.length === 0) merge(result, last);
    else {
      fail("must validate at least one schema (anyOf)");
      merge(result, best(results));
    }
  }
  if (oneOf.length > 0) {
    const results = oneOf.map(inner);
    const valid = results.filter((one) => one.errors.length === 0);
    const [only] = valid;
    if (only !== undefined && valid.length === 1) merge(result, only);
    else {
      const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
      fail(`must validate one and only one schema (oneOf). ${found}`);
      if (valid.length === 0) merge(result, best(results));
    }
  }
  if (allOf.length > 0) {
    const results = allOf.map(inner);
    for (const one of results) merge(result, one);
    const valid = results.filter((one) => one.errors.length === 0).length;
    if (valid < results.length) fail(`must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`);
  }
  if (not !== undefined && inner(not).errors.length === 0) fail("must not validate the schema (not)");
  result.matches += 1;
  return result;
}

function best(results: readonly Result[]): Result {
  return results.reduce((first, second) => (second.matches > first.matches ? second : first));
}
