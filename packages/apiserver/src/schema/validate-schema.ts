import type { NestedValidation, ValueValidation } from "farwatch";
import { addErrors, type FieldError, invalidValue, required, tooLong, tooMany } from "../failure/field-error.ts";
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

/**
 * What checks have found, and how many held: the best of several failed alternatives is the one with most. Every check
 * writes into the one that it is handed; alternatives alone have results of their own.
 */
interface Result {
  readonly errors: FieldError[];
  matches: number;
}

interface Walk {
  readonly at: string;
}

/**
 * What is wrong with a value by its schema: types, formats, limits, required fields, enums and logical combinations, in
 * the words of kube-openapi's validator. Lists of type set and map, embedded resources and rules are checked elsewhere.
 */
export function validateSchema(
  schema: ServedSchema,
  value: unknown,
  options: ValidateOptions = {},
): readonly FieldError[] {
  const node = options.old === undefined ? undefined : { schema, value, old: options.old };
  const result = empty();
  checked(schema, value, { path: "", former: () => node, walk: { at: options.at ?? "" } }, result);
  return result.errors;
}

/** Finds what a value was before; only asked for when something is wrong with it. */
type Former = () => Correlated | undefined;

const nothing: Former = () => undefined;

/** Where a value stands. */
interface Place {
  readonly path: string;
  readonly former: Former;
  readonly walk: Walk;
}

const empty = (): Result => ({ errors: [], matches: 0 });

function checked(schema: AnySchema, value: unknown, place: Place, into: Result): void {
  const before = into.errors.length;
  check(schema, value, place, into);
  if (into.errors.length > before && isUnchanged(place.former())) into.errors.length = before;
}

function check(schema: AnySchema, value: unknown, place: Place, into: Result): void {
  const { path, walk } = place;
  if (value === null || value === undefined) {
    checkType(schema, null, place, into);
    checkEnum(schema, null, place, into);
    return;
  }
  const format = schema.format === undefined || !isKnownFormat(schema.format) ? undefined : schema.format;
  if (typesOf(schema).length > 0 || format !== undefined) {
    checkType(schema, value, place, into);
    into.matches += 1;
  }
  checkCombinations(schema, value, place, into);
  if (typeof value === "string") {
    checkString(schema, value, place, into);
    if (format !== undefined) {
      if (!hasFormat(format, value)) into.errors.push(wrongType(path, walk, format, value));
      into.matches += 1;
    }
  } else if (typeof value === "number") checkNumber(schema, value, place, into);
  else if (Array.isArray(value)) checkList(schema, value, place, into);
  checkEnum(schema, value, place, into);
  if (isObject(value)) checkObject(schema, value, place, into);
  // One for each of those, and one for the whole.
  const isOfForm = typeof value === "string" || typeof value === "number" || typeof value === "object";
  into.matches += isOfForm ? 4 : 3;
}

function merge(into: Result, from: Result): void {
  addErrors(into.errors, from.errors);
  into.matches += from.matches;
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

const intOrString: readonly string[] = ["integer", "string"];
const noTypes: readonly string[] = [];

function typesOf(schema: AnySchema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return intOrString;
  return schema.type === undefined ? noTypes : [schema.type];
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

function checkType(schema: AnySchema, value: unknown, { path, walk }: Place, into: Result): void {
  const types = typesOf(schema);
  const type = typeOf(value);
  const fits =
    value === null
      ? types.length === 0 || schema.nullable === true
      : types.includes(type) || (type === "integer" && types.includes("number"));
  const { format } = schema;
  if (value !== null && format !== undefined && isKnownFormat(format)) {
    const textual = type === "string" || type === "array";
    const isText = textual && !types.includes("number") && !types.includes("integer");
    if (!textual && !fits) {
      // The format of a Go value is that of its number type, or none.
      const own = type === "integer" ? "int64" : type === "number" ? "float64" : "";
      into.errors.push(wrongType(path, walk, format, own));
      return;
    }
    if (isText) {
      into.matches += 1;
      return;
    }
  }
  if (fits) into.matches += 1;
  else into.errors.push(wrongType(path, walk, types.join(","), type));
}

function checkEnum(schema: AnySchema, value: unknown, { path, walk }: Place, into: Result): void {
  const { enum: allowed } = schema;
  if (allowed === undefined || allowed.length === 0) return;
  if (value !== null && allowed.some((one) => sameJson(one, value))) return;
  const words = allowed.map((one) => JSON.stringify(typeof one === "string" ? one : JSON.stringify(one)));
  into.errors.push({
    type: "NotSupported",
    field: fieldOf(path, walk),
    value: sortedJson(value),
    detail: `supported values: ${words.join(", ")}`,
  });
}

function checkString(schema: AnySchema, value: string, { path, walk }: Place, into: Result): void {
  const { maxLength, minLength, pattern } = schema;
  if (maxLength !== undefined || minLength !== undefined) {
    let length = 0;
    for (const _ of value) length += 1;
    if (maxLength !== undefined && length > maxLength) {
      into.errors.push(tooLong(fieldOf(path, walk), maxLength));
      return;
    }
    if (minLength !== undefined && length < minLength) {
      into.errors.push(wrong(path, walk, value, `should be at least ${minLength} chars long`));
      return;
    }
  }
  if (pattern === undefined || pattern === "") return;
  const compiled = compileRegexp(pattern);
  if ("error" in compiled) {
    into.errors.push(wrong(path, walk, value, `should match '${pattern}, but pattern is invalid: ${compiled.error}'`));
  } else if (!compiled.regexp.test(value)) into.errors.push(wrong(path, walk, value, `should match '${pattern}'`));
}

function checkNumber(schema: AnySchema, value: number, { path, walk }: Place, into: Result): void {
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  into.matches += 1;
  // Go compares an int64 with the limit cut to an int64.
  const limit = (bound: number): number => (isInteger(value) ? Math.trunc(bound) : bound);
  if (multipleOf !== undefined) {
    const factor = limit(multipleOf);
    if (factor <= 0) {
      const why = `factor MultipleOf declared for ${path} must be positive: ${goNumber(factor)}`;
      into.errors.push(invalidValue(fieldOf(path, walk), factor, why));
    } else if (!isMultiple(value, factor)) {
      into.errors.push(wrong(path, walk, value, `should be a multiple of ${goNumber(factor)}`));
    }
  }
  if (minimum !== undefined) {
    const bound = limit(minimum);
    if (exclusiveMinimum ? value <= bound : value < bound) {
      const words = exclusiveMinimum ? "greater than" : "greater than or equal to";
      into.errors.push(wrong(path, walk, value, `should be ${words} ${goNumber(bound)}`));
    }
  }
  if (maximum !== undefined) {
    const bound = limit(maximum);
    if (exclusiveMaximum ? value >= bound : value > bound) {
      const words = exclusiveMaximum ? "less than" : "less than or equal to";
      into.errors.push(wrong(path, walk, value, `should be ${words} ${goNumber(bound)}`));
    }
  }
}

function isMultiple(value: number, factor: number): boolean {
  if (isInteger(value)) return value % factor === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  const nearest = Math.round(quotient);
  // Go allows for the error of the division.
  return Math.abs(quotient - nearest) < 1e-9 * Math.max(1, Math.abs(quotient));
}

function checkList(schema: AnySchema, value: readonly unknown[], place: Place, into: Result): void {
  const { path, former, walk } = place;
  const { items, minItems, maxItems } = schema;
  into.matches += 1;
  if (items !== undefined) {
    for (const [index, item] of value.entries()) {
      const inner = { path: `${path}[${index}]`, former: () => correlatedItem(former(), index), walk };
      checked(items, item, inner, into);
    }
  }
  if (minItems !== undefined && value.length < minItems) {
    into.errors.push(wrong(path, walk, value.length, `should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && value.length > maxItems)
    into.errors.push(tooMany(fieldOf(path, walk), value.length, maxItems));
}

type Properties = NonNullable<ServedSchema["properties"]>;

/** The fields of each schema in its order, which is that of the errors: looked up once. */
const fields = new WeakMap<object, readonly (readonly [name: string, field: AnySchema])[]>();

function fieldsOf(properties: Properties): readonly (readonly [name: string, field: AnySchema])[] {
  let known = fields.get(properties);
  if (known === undefined) {
    known = Object.entries<AnySchema>(properties);
    fields.set(properties, known);
  }
  return known;
}

function checkObject(
  schema: AnySchema,
  value: Readonly<Record<string, unknown>>,
  { path, former, walk }: Place,
  into: Result,
): void {
  const { properties, additionalProperties, minProperties, maxProperties } = schema;
  if (minProperties !== undefined || maxProperties !== undefined) {
    const count = Object.keys(value).length;
    if (minProperties !== undefined && count < minProperties) {
      into.errors.push(wrong(path, walk, count, `should have at least ${minProperties} properties`));
    }
    if (maxProperties !== undefined && count > maxProperties) {
      into.errors.push(tooMany(fieldOf(path, walk), count, maxProperties));
    }
  }
  // A change of apiVersion cannot be seen, so what is wrong with it is never tolerated.
  const formerOf = (name: string): Former =>
    path === "" && (name === "kind" || name === "apiVersion") ? nothing : () => correlatedField(former(), name);
  if (additionalProperties !== undefined) {
    for (const name of Object.keys(value).sort()) {
      if (own<AnySchema>(properties, name) !== undefined) continue;
      checked(additionalProperties, value[name], { path: `${path}.${name}`, former: formerOf(name), walk }, into);
    }
  }
  if (properties !== undefined) {
    for (const [name, field] of fieldsOf(properties)) {
      if (!Object.hasOwn(value, name)) continue;
      const inner = { path: path === "" ? name : `${path}.${name}`, former: formerOf(name), walk };
      checked(field, value[name], inner, into);
    }
  }
  if (schema.required === undefined) return;
  for (const name of schema.required) {
    if (!Object.hasOwn(value, name)) into.errors.push(required(fieldOf(`${path}.${name}`, walk)));
  }
}

/** allOf, anyOf, oneOf and not. That a combination fails is said of the whole object, with the field in its text. */
function checkCombinations(schema: ValueValidation, value: unknown, place: Place, into: Result): void {
  const { anyOf = none, oneOf = none, allOf = none, not } = schema;
  if (anyOf !== none || oneOf !== none || allOf !== none || not !== undefined) {
    const inner = (one: NestedValidation): Result => {
      const result = empty();
      check(one, value, place, result);
      return result;
    };
    const fail = (why: string): void => {
      const { at } = place.walk;
      into.errors.push(invalidValue(at === "" ? "<nil>" : at, "", `${JSON.stringify(place.path)} ${why}`));
    };
    if (anyOf.length > 0) {
      const results: Result[] = [];
      for (const one of anyOf) {
        results.push(inner(one));
        if (results.at(-1)?.errors.length === 0) break;
      }
      const last = results.at(-1);
      if (last !== undefined && last.errors.length === 0) merge(into, last);
      else {
        fail("must validate at least one schema (anyOf)");
        merge(into, best(results));
      }
    }
    if (oneOf.length > 0) {
      const results = oneOf.map(inner);
      const valid = results.filter((one) => one.errors.length === 0);
      const [only] = valid;
      if (only !== undefined && valid.length === 1) merge(into, only);
      else {
        const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
        fail(`must validate one and only one schema (oneOf). ${found}`);
        if (valid.length === 0) merge(into, best(results));
      }
    }
    if (allOf.length > 0) {
      const results = allOf.map(inner);
      for (const one of results) merge(into, one);
      const valid = results.filter((one) => one.errors.length === 0).length;
      if (valid < results.length) fail(`must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`);
    }
    if (not !== undefined && inner(not).errors.length === 0) fail("must not validate the schema (not)");
  }
  into.matches += 1;
}

const none: readonly NestedValidation[] = [];

function best(results: readonly Result[]): Result {
  return results.reduce((first, second) => (second.matches > first.matches ? second : first));
}
