import type { FieldError } from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { type MetaRules, validateFinalizersOfBuiltIn, validateMeta, validateMetaUpdate } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";

/** The errors of metadata that built-in kinds begin with, as a list to push more to. */
export function metaErrors({ metadata }: DraftObject, rules: MetaRules): FieldError[] {
  return [...validateMeta(metadata, rules), ...validateFinalizersOfBuiltIn(metadata)];
}

/** What an update of metadata may not do, of built-in kinds, as a list to push more to. */
export function metaUpdateErrors({ metadata }: DraftObject, old: StoredObject): FieldError[] {
  return [...validateMetaUpdate(metadata, old.metadata), ...validateFinalizersOfBuiltIn(metadata)];
}

/** Takes a field from the old object, absence too. */
export function keepField(object: DraftObject, old: StoredObject, field: string): void {
  if (old[field] === undefined) Reflect.deleteProperty(object, field);
  else object[field] = structuredClone(old[field]);
}

/** Counts one generation up from the old object when one of these fields means something else now. */
export function countGeneration(object: DraftObject, old: StoredObject, ...fields: readonly string[]): void {
  if (fields.every((field) => semanticEqual(object[field], old[field]))) return;
  object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** Sets a field that is absent; null counts as absent. */
export function setDefault<T extends object, K extends keyof T>(object: T, field: K, value: NonNullable<T[K]>): void {
  if (object[field] === undefined || object[field] === null) object[field] = value;
}

/** Sets a text that is absent or empty. */
export function setDefaultText<T extends object, K extends keyof T>(
  object: T,
  field: K,
  value: NonNullable<T[K]>,
): void {
  if (object[field] === undefined || object[field] === null || object[field] === "") object[field] = value;
}
