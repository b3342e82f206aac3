import type { FieldError } from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { copyJson } from "../../schema/plain-object.ts";
import { type MetaRules, validateFinalizersOfBuiltIn, validateMeta, validateMetaUpdate } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";

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
  else object[field] = copyJson(old[field]);
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

/** The spec of a draft, to be changed in place; a new one where there was none. */
export function draftSpec<T extends object>(object: DraftObject): T {
  object.spec ??= {};
  return object.spec as T;
}

/** The spec of an object, for reading. */
export function specOf<T extends object>(object: DraftObject | StoredObject): T {
  return (object.spec ?? {}) as T;
}

/** The status of an object. */
export function statusOf(object: DraftObject | StoredObject): Readonly<Record<string, unknown>> {
  return (object.status ?? {}) as Readonly<Record<string, unknown>>;
}

export interface StatusRules {
  /** What a new object has: the fields that are written even when they are empty. */
  readonly empty: object;
  /** Fields whose change counts a generation; none: the kind has no generations. */
  readonly generation?: readonly string[];
}

/**
 * How most kinds with a status prepare their objects: a new one has none, an update of the object keeps it, an update
 * of the status keeps everything else that means something.
 */
export function preparesStatus({
  empty,
  generation = [],
}: StatusRules): Required<Pick<Strategy, "prepareForCreate" | "prepareForUpdate">> {
  return {
    prepareForCreate(object): void {
      object.status = copyJson(empty);
      if (generation.length > 0) object.metadata.generation = 1;
    },
    prepareForUpdate(object, old, { subresource }): void {
      if (subresource === "status") keepField(object, old, "spec");
      else {
        keepField(object, old, "status");
        if (generation.length > 0) countGeneration(object, old, ...generation);
      }
    },
  };
}
