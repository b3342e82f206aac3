import { addErrors, duplicate, type FieldError, invalidValue } from "../failure/field-error.ts";
import { isObject, own, sameJson, setOwn, sortedJson } from "./plain-object.ts";
import type { ServedSchema } from "./served-schema.ts";

/**
 * Items that stand twice in lists of type set, and items of lists of type map whose keys do. On an update the server
 * asks this only when the old object had none.
 */
export function validateListTypes(schema: ServedSchema, object: unknown): readonly FieldError[] {
  const errors: FieldError[] = [];
  walk(schema, object, "", errors);
  return errors;
}

const withListTypes = new WeakMap<ServedSchema, boolean>();

/** Whether there is anything to ask about a value of this schema. */
function hasListTypes(schema: ServedSchema): boolean {
  let known = withListTypes.get(schema);
  if (known === undefined) {
    const { items, additionalProperties, properties = {}, "x-kubernetes-list-type": type = "atomic" } = schema;
    known =
      type !== "atomic" ||
      (items !== undefined && hasListTypes(items)) ||
      (additionalProperties !== undefined && hasListTypes(additionalProperties)) ||
      Object.values(properties).some(hasListTypes);
    withListTypes.set(schema, known);
  }
  return known;
}

function walk(schema: ServedSchema | undefined, value: unknown, at: string, errors: FieldError[]): void {
  if (schema === undefined || !hasListTypes(schema)) return;
  if (Array.isArray(value)) {
    const type = schema["x-kubernetes-list-type"];
    if (type === "set")
      for (const index of repeated(value)) errors.push(duplicate(`${at}[${index}]`, sortedJson(value[index])));
    if (type === "map") addErrors(errors, repeatedKeys(schema, value, at));
    for (const [index, item] of value.entries()) walk(schema.items, item, `${at}[${index}]`, errors);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, each] of Object.entries(value)) {
    const field = own(schema.properties, name);
    if (field !== undefined) walk(field, each, at === "" ? name : `${at}.${name}`, errors);
    else walk(schema.additionalProperties, each, `${at}[${name}]`, errors);
  }
}

function repeatedKeys(schema: ServedSchema, items: readonly unknown[], at: string): readonly FieldError[] {
  const stranger = items.findIndex((item) => item !== null && !isObject(item));
  if (stranger !== -1) {
    return [
      invalidValue(
        `${at}[${stranger}]`,
        sortedJson(items[stranger]),
        "must be an object for an array of list-type map",
      ),
    ];
  }
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const keyed = items.map((item): unknown => {
    const found: Record<string, unknown> = {};
    if (isObject(item)) for (const key of keys) if (own(item, key) !== undefined) setOwn(found, key, item[key]);
    return found;
  });
  return repeated(keyed).map((index) => duplicate(`${at}[${index}]`, sortedJson(keyed[index])));
}

/** Where a value stands for the second time; not for the third. */
function repeated(values: readonly unknown[]): readonly number[] {
  // A comparison each is less than a text each where there are few.
  if (values.length <= 4 && !values.some((value, index) => values.slice(0, index).some((one) => sameJson(one, value))))
    return [];
  const times = new Map<string, number>();
  return values.flatMap((value, index) => {
    const text = JSON.stringify(sortedJson(value));
    const seen = times.get(text) ?? 0;
    times.set(text, seen + 1);
    return seen === 1 ? [index] : [];
  });
}
