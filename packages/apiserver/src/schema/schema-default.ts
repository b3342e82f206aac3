import { copyJson, isObject, own, setOwn } from "./plain-object.ts";
import type { ServedSchema } from "./served-schema.ts";

/**
 * Sets in place what the schema gives where fields are absent, or null without being nullable: from the outside in, so
 * that an absent object gets its own default first. Done on every body and on every stored object that is read.
 */
export function applyDefaults(schema: ServedSchema, value: unknown): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return;
    for (const [index, item] of value.entries()) {
      if (item === null && items.nullable !== true && items.default !== undefined)
        value[index] = copyJson(items.default);
      applyDefaults(items, value[index]);
    }
    return;
  }
  if (!isObject(value)) return;
  for (const [name, field] of defaultedFields(schema)) {
    const had = own(value, name);
    if (had === undefined || (had === null && field.nullable !== true)) setOwn(value, name, copyJson(field.default));
  }
  const { additionalProperties } = schema;
  for (const name of Object.keys(value)) {
    const field = own(schema.properties, name);
    if (field !== undefined) applyDefaults(field, value[name]);
    else if (additionalProperties !== undefined) {
      if (
        value[name] === null &&
        additionalProperties.nullable !== true &&
        additionalProperties.default !== undefined
      ) {
        setOwn(value, name, copyJson(additionalProperties.default));
      }
      applyDefaults(additionalProperties, value[name]);
    }
  }
}

type Fields = readonly (readonly [name: string, field: ServedSchema])[];

const none: Fields = [];
const defaulted = new WeakMap<ServedSchema, Fields>();

/** The fields of an object that have a default, looked up once for each schema. */
function defaultedFields(schema: ServedSchema): Fields {
  let fields = defaulted.get(schema);
  if (fields === undefined) {
    const found = Object.entries(schema.properties ?? {}).filter(([, field]) => (field.default ?? null) !== null);
    fields = found.length === 0 ? none : found;
    defaulted.set(schema, fields);
  }
  return fields;
}

/** Drops in place the nulls of fields that are not nullable and have no default; those that have one get it later. */
export function dropNulls(schema: ServedSchema | undefined, value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(schema?.items, item);
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    const field = own(schema?.properties, name) ?? schema?.additionalProperties;
    const each = value[name];
    if (each !== null) dropNulls(field, each);
    else if (field !== undefined && field.nullable !== true && (field.default ?? null) === null) {
      Reflect.deleteProperty(value, name);
    }
  }
}
