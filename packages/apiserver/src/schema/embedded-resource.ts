import { addErrors, type FieldError, invalidValue, required } from "../failure/field-error.ts";
import { decodeGo } from "./go-decode.ts";
import { GoDecodeError } from "./go-scalar.ts";
import { isObject, own, setOwn } from "./plain-object.ts";
import type { ServedSchema } from "./served-schema.ts";

/** The schema of metav1.ObjectMeta, and how a name in it is checked: both stand in rooms below. */
export interface EmbeddedOptions {
  readonly objectMeta: ServedSchema;
}

/** A refusal of an embedded resource: its field error is answered with 400, before validation. */
export class EmbeddedError extends Error {
  override readonly name = "EmbeddedError";
}

/**
 * Reads the metadata of embedded resources as Go's ObjectMeta does, in place, and gives the paths of fields that it
 * does not have.
 *
 * @throws EmbeddedError when apiVersion or kind is no string, or metadata does not fit.
 */
export function coerceEmbedded(schema: ServedSchema, object: unknown, options: EmbeddedOptions): readonly string[] {
  const unknown: string[] = [];
  coerce(schema, object, "", unknown, options);
  return unknown.sort();
}

function coerce(
  schema: ServedSchema | undefined,
  value: unknown,
  at: string,
  unknown: string[],
  options: EmbeddedOptions,
): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) coerce(schema.items, item, `${at}[${index}]`, unknown, options);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, each] of Object.entries(value)) {
    const path = at === "" ? name : `${at}.${name}`;
    if (schema["x-kubernetes-embedded-resource"] === true) {
      if ((name === "apiVersion" || name === "kind") && typeof each !== "string") {
        throw new EmbeddedError(`${path}: Invalid value: ${JSON.stringify(each)}: must be a string`);
      }
      if (name === "metadata") setOwn(value, name, embeddedMeta(each, path, unknown, options));
    }
    const field = own(schema.properties, name);
    if (field !== undefined) coerce(field, value[name], path, unknown, options);
    else if (schema.additionalProperties !== undefined) {
      coerce(schema.additionalProperties, each, `${at}[${name}]`, unknown, options);
    }
  }
}

function embeddedMeta(value: unknown, path: string, unknown: string[], { objectMeta }: EmbeddedOptions): unknown {
  try {
    const decoded = decodeGo(objectMeta, value);
    for (const field of decoded.unknown) unknown.push(`${path}.${field}`);
    return decoded.value;
  } catch (error) {
    if (!(error instanceof GoDecodeError)) throw error;
    throw new EmbeddedError(`${path}: Invalid value: ${JSON.stringify(value)}: ${error.message}`);
  }
}

/** Checks one embedded ObjectMeta that stands at this path: the rule of `metadata` of every object. */
export type CheckMeta = (metadata: Record<string, unknown>, path: string) => readonly FieldError[];

/** What is wrong with the apiVersion, kind and metadata of embedded resources. */
export function validateEmbedded(
  schema: ServedSchema,
  object: unknown,
  checkMeta: CheckMeta,
  at = "",
): readonly FieldError[] {
  const errors: FieldError[] = [];
  walk(schema, object, at, errors, checkMeta);
  return errors;
}

function walk(
  schema: ServedSchema | undefined,
  value: unknown,
  at: string,
  errors: FieldError[],
  checkMeta: CheckMeta,
): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(schema.items, item, `${at}[${index}]`, errors, checkMeta);
    return;
  }
  if (!isObject(value)) return;
  if (schema["x-kubernetes-embedded-resource"] === true) addErrors(errors, embeddedErrors(value, at, checkMeta));
  for (const [name, each] of Object.entries(value)) {
    const field = own(schema.properties, name);
    if (field !== undefined) walk(field, each, at === "" ? name : `${at}.${name}`, errors, checkMeta);
    else walk(schema.additionalProperties, each, `${at}[${name}]`, errors, checkMeta);
  }
}

const kindRule =
  "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

function embeddedErrors(
  value: Readonly<Record<string, unknown>>,
  at: string,
  checkMeta: CheckMeta,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const below = (name: string): string => (at === "" ? name : `${at}.${name}`);
  const { apiVersion, kind, metadata } = value;
  if (apiVersion === undefined) errors.push(required(below("apiVersion")));
  else if (apiVersion === "") errors.push(invalidValue(below("apiVersion"), apiVersion, "must not be empty"));
  else if (String(apiVersion).split("/").length > 2) {
    errors.push(invalidValue(below("apiVersion"), apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  }
  if (kind === undefined) errors.push(required(below("kind")));
  else if (kind === "") errors.push(invalidValue(below("kind"), kind, "must not be empty"));
  else if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(String(kind).toLowerCase()) || String(kind).length > 63) {
    errors.push(invalidValue(below("kind"), kind, kindRule));
  }
  if (isObject(metadata)) addErrors(errors, checkMeta(metadata, below("metadata")));
  return errors;
}
