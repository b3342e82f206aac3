import type { ValidationRule } from "farwatch";
import { type FieldError, fieldErrorsText, invalidValue } from "../failure/field-error.ts";
import { schemaType, withObjectMeta } from "./cel/schema-type.ts";
import { schemaValue } from "./cel/schema-value.ts";
import { CelError, CostExceeded, Optional, type Value } from "./cel/value.ts";
import { type Correlated, correlatedField, correlatedItem, isUnchanged } from "./correlation.ts";
import { isObject, own } from "./plain-object.ts";
import { type CompiledRule, compileRules } from "./rule.ts";
import type { ServedSchema } from "./served-schema.ts";

/** Of one rule, and of all rules of one object: what the real server grants. */
const ruleLimit = 1_000_000;
const objectLimit = 10_000_000;
const longestMessage = 5 * 1024;

export interface RuleResult {
  readonly errors: readonly FieldError[];
  /** Rules that an unchanged part of an update breaks: told as Warning headers. */
  readonly warnings: readonly string[];
}

/** The rules of a node and of what is below it. */
interface Node {
  readonly schema: ServedSchema;
  readonly isRoot: boolean;
  readonly rules: readonly CompiledRule[];
  readonly items: Node | undefined;
  readonly values: Node | undefined;
  readonly properties: ReadonlyMap<string, Node>;
}

/** A value, what it was, and by which ancestor one can tell that it did not change. */
interface Place {
  readonly path: string;
  readonly value: unknown;
  readonly old: unknown;
  readonly node: Correlated | undefined;
  readonly parent: Correlated | undefined;
}

interface Walk {
  readonly errors: FieldError[];
  readonly warnings: string[];
  budget: number;
}

const compiled = new WeakMap<ServedSchema, { readonly root: Node | undefined }>();

/**
 * Asks the rules (`x-kubernetes-validations`) of a custom resource's schema about an object, and on an update about
 * what changed. The object must have passed the other checks: the server does not ask rules about an object with errors
 * of type, length, number or presence (see `rulesSkipped`). Rules are compiled once per schema.
 */
export function validateRules(schema: ServedSchema, object: unknown, old?: unknown): RuleResult {
  let known = compiled.get(schema);
  if (known === undefined) {
    known = { root: nodeOf(schema, true) };
    compiled.set(schema, known);
  }
  const walk: Walk = { errors: [], warnings: [], budget: objectLimit };
  const node = old === undefined ? undefined : { schema, value: object, old };
  if (known.root !== undefined) ask(known.root, { path: "", value: object, old, node, parent: undefined }, walk);
  return walk;
}

/** Rules on a part of a schema alone: of a default value. */
export function validateValueRules(
  schema: ServedSchema,
  value: unknown,
  at: string,
  old?: unknown,
): readonly FieldError[] {
  const root = nodeOf(schema, schema["x-kubernetes-embedded-resource"] === true);
  const walk: Walk = { errors: [], warnings: [], budget: objectLimit };
  if (root !== undefined) ask(root, { path: at, value, old, node: undefined, parent: undefined }, walk);
  return walk.errors;
}

const blocking: ReadonlySet<FieldError["type"]> = new Set([
  "NotSupported",
  "Required",
  "TooLong",
  "TooMany",
  "TypeInvalid",
]);

/**
 * The error that stands instead of those of rules when these errors keep them from being asked; undefined when they do
 * not.
 */
export function rulesSkipped(errors: readonly FieldError[]): FieldError | undefined {
  if (!errors.some(({ type }) => blocking.has(type))) return undefined;
  const why =
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
  return invalidValue("<nil>", null, why);
}

/** Whether any rule stands in the schema; then `rulesSkipped` is said of an invalid object. */
export function hasRules(schema: ServedSchema): boolean {
  return (
    (schema["x-kubernetes-validations"] ?? []).length > 0 ||
    (schema.items !== undefined && hasRules(schema.items)) ||
    (schema.additionalProperties !== undefined && hasRules(schema.additionalProperties)) ||
    Object.values(schema.properties ?? {}).some(hasRules)
  );
}

function nodeOf(schema: ServedSchema, isRoot: boolean): Node | undefined {
  if (!hasRules(schema)) return undefined;
  const below = (child: ServedSchema | undefined): Node | undefined =>
    child === undefined ? undefined : nodeOf(child, child["x-kubernetes-embedded-resource"] === true);
  const properties = new Map<string, Node>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    // What has no type, rules cannot see.
    const node = schemaType(property, false) === undefined ? undefined : below(property);
    if (node !== undefined) properties.set(name, node);
  }
  return {
    schema: isRoot ? withObjectMeta(schema) : schema,
    isRoot,
    rules: compileRules(schema, isRoot),
    items: below(schema.items),
    values: below(schema.additionalProperties),
    properties,
  };
}

/**
 * Parts of stored objects, which nobody changes any more, that were found to keep all rules when an update left them as
 * they were: with the node whose rules those are, and what asking them cost.
 */
const kept = new WeakMap<object, { readonly node: Node; readonly cost: number }>();

/** False when the budget is used up, and nothing more is asked. */
function ask(node: Node, place: Place, walk: Walk): boolean {
  const { value } = place;
  if (value === null || value === undefined) return true;
  if (typeof value !== "object" || value !== place.old) return askAll(node, place, walk);
  const known = kept.get(value);
  if (known?.node === node && known.cost <= walk.budget) {
    walk.budget -= known.cost;
    return true;
  }
  const { budget, errors, warnings } = walk;
  const found = errors.length + warnings.length;
  if (!askAll(node, place, walk)) return false;
  if (errors.length + warnings.length === found) kept.set(value, { node, cost: budget - walk.budget });
  return true;
}

function askAll(node: Node, place: Place, walk: Walk): boolean {
  const { value, old, path } = place;
  if (!askHere(node, place, walk)) return false;
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === undefined) return true;
    const list = { schema: node.schema, value, old };
    return value.every((item, index) => {
      const below = step(place, correlatedItem(place.node, index));
      const former = correlatedItem(list, index)?.old;
      return ask(items, { ...below, path: `${path}[${index}]`, value: item, old: former }, walk);
    });
  }
  if (!isObject(value)) return true;
  return Object.entries(value).every(([name, each]) => {
    const property = node.properties.get(name);
    const child = property ?? (own(node.schema.properties, name) === undefined ? node.values : undefined);
    if (child === undefined) return true;
    const inner = property === undefined ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    const isTypeMeta = place.parent === undefined && (name === "apiVersion" || name === "kind");
    const below = isTypeMeta ? { node: undefined, parent: undefined } : step(place, correlatedField(place.node, name));
    return ask(child, { ...below, path: inner, value: each, old: isObject(old) ? own(old, name) : undefined }, walk);
  });
}

/** The correlation of a child; below what has none, that of the nearest ancestor counts. */
function step(place: Place, child: Correlated | undefined): Pick<Place, "node" | "parent"> {
  return place.node === undefined ? { node: undefined, parent: place.parent } : { node: child, parent: place.node };
}

function askHere(node: Node, place: Place, walk: Walk): boolean {
  if (node.rules.length === 0) return true;
  const { schema } = node;
  const field = place.path === "" ? "<nil>" : place.path;
  const refuse = (why: string): void => {
    walk.errors.push(invalidValue(field, schema.type ?? "", why));
  };
  const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";
  if (walk.budget <= 0) {
    refuse(outOfBudget);
    return false;
  }
  for (const rule of node.rules) {
    if (rule.program === undefined) {
      refuse(`rule compile error: ${rule.error}`);
      continue;
    }
    const isOptional = rule.rule.optionalOldSelf === true;
    const hasOld = place.old !== undefined && place.old !== null;
    if (rule.usesOldSelf && !hasOld && !isOptional) continue;
    const variables = (name: string): Value | undefined => {
      if (name === "self") return schemaValue(schema, place.value);
      if (!hasOld) return isOptional ? Optional.none : undefined;
      const former = schemaValue(schema, place.old);
      return isOptional ? new Optional(former) : former;
    };
    const spending = { cost: 0, limit: ruleLimit };
    let held: Value;
    try {
      held = rule.program.evaluate(variables, spending);
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      if (spending.cost > walk.budget) {
        refuse(outOfBudget);
        return false;
      }
      walk.budget -= spending.cost;
      const what = ruleText(rule.rule);
      if (error instanceof CostExceeded) {
        refuse(
          `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${what}`,
        );
        return false;
      }
      refuse(
        error.message.startsWith("no such overload")
          ? `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${what}`
          : `${error.message} evaluating rule: ${what}`,
      );
      continue;
    }
    if (spending.cost > walk.budget) {
      refuse(outOfBudget);
      return false;
    }
    walk.budget -= spending.cost;
    if (held === true) continue;
    const message = messageOf(rule, variables, walk);
    const broken = brokenRule(rule, place, schema, message);
    if (!rule.usesOldSelf && isUnchanged(place.node ?? place.parent)) walk.warnings.push(fieldErrorsText([broken]));
    else walk.errors.push(broken);
  }
  return true;
}

function brokenRule(rule: CompiledRule, place: Place, schema: ServedSchema, detail: string): FieldError {
  const { fieldPath } = rule;
  const field = fieldPath === "" ? place.path : place.path === "" ? fieldPath : `${place.path}.${fieldPath}`;
  const isCompound = schema.type === "object" || schema.type === "array";
  const at = { field: field === "" ? "<nil>" : field, ...(isCompound ? {} : { value: place.value }) };
  switch (rule.rule.reason) {
    case "FieldValueForbidden":
      return { type: "Forbidden", field: at.field, detail };
    case "FieldValueRequired":
      return { type: "Required", field: at.field, detail };
    case "FieldValueDuplicate":
      return { ...at, type: "Duplicate", detail: "" };
    default:
      return { ...at, type: "Invalid", detail };
  }
}

function ruleText({ rule, message = "" }: ValidationRule): string {
  return message === "" ? rule.trim() : message.trim();
}

/** The message that the rule's expression gives; where that fails, its constant one, or the rule itself. */
function messageOf(
  { rule, message }: CompiledRule,
  variables: (name: string) => Value | undefined,
  walk: Walk,
): string {
  const fallback =
    rule.message === undefined || rule.message === "" ? `failed rule: ${ruleText(rule)}` : rule.message.trim();
  if (message === undefined) return fallback;
  const spending = { cost: 0, limit: Math.min(ruleLimit, walk.budget) };
  try {
    const said = message.evaluate(variables, spending);
    const text = typeof said === "string" ? said.trim() : "";
    return text === "" || text.includes("\n") || Buffer.byteLength(text) > longestMessage ? fallback : text;
  } catch (error) {
    if (error instanceof CelError) return fallback;
    throw error;
  } finally {
    walk.budget -= spending.cost;
  }
}
