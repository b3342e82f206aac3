import type { FieldError } from "../failure/field-error.ts";
import type { DraftMeta, DraftObject, StoredObject } from "../registry/api-object.ts";
import { sameJson, setOwn } from "../schema/plain-object.ts";
import { dnsSubdomain } from "./name-rule.ts";
import { finalizerWarnings, validateMeta, validateMetaUpdate } from "./object-meta.ts";
import type { Strategy } from "./strategy.ts";

/**
 * What a custom kind's schema says of an object: structural validation, embedded metadata, list types, CEL, in this
 * order.
 */
export interface CustomChecks {
  validate(object: DraftObject): readonly FieldError[];
  validateUpdate(object: DraftObject, old: StoredObject): readonly FieldError[];
  /** Of a write to `/status`, which is judged by the schema of `status` and by all rules. */
  validateStatusUpdate(object: DraftObject, old: StoredObject): readonly FieldError[];
  /** Of an update that was found valid: rules that it breaks where it changed nothing. */
  warnings(object: DraftObject): readonly string[];
}

export interface CustomStrategyOptions {
  readonly namespaced: boolean;
  /** Whether the version has the subresource `status`. */
  readonly hasStatus: boolean;
  readonly checks: CustomChecks;
}

/** The strategy of one version of a custom kind. */
export function customStrategy({ namespaced, hasStatus, checks }: CustomStrategyOptions): Strategy {
  return {
    prepareForCreate(object): void {
      if (hasStatus) Reflect.deleteProperty(object, "status");
      object.metadata.generation = 1;
    },
    prepareForUpdate(object, old, { subresource }): void {
      if (subresource === "status") takeAllButStatus(object, old);
      else {
        if (hasStatus) {
          if (old.status !== undefined) object.status = old.status;
          else Reflect.deleteProperty(object, "status");
        }
        if (!sameBeyondMetadata(object, old)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
      }
    },
    validate: (object) => [
      ...validateMeta(object.metadata, { namespaced, nameRule: dnsSubdomain }),
      ...checks.validate(object),
    ],
    validateUpdate: (object, old, { subresource }) => [
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...(subresource === "status" ? checks.validateStatusUpdate(object, old) : checks.validateUpdate(object, old)),
    ],
    warnings: (object, old) => [...checks.warnings(object), ...finalizerWarnings(object.metadata, old?.metadata)],
  };
}

/** A write to `/status` changes status and managedFields alone; not even a wrong uid in it counts. */
function takeAllButStatus(object: DraftObject, old: StoredObject): void {
  const { managedFields } = object.metadata;
  for (const field of Object.keys(object)) {
    if (field !== "status" && !Object.hasOwn(old, field)) Reflect.deleteProperty(object, field);
  }
  // What is stored is never changed, so that both may hold it.
  for (const [field, value] of Object.entries(old)) if (field !== "status") setOwn(object, field, value);
  object.metadata = { ...old.metadata } as DraftMeta;
  if (managedFields === undefined) Reflect.deleteProperty(object.metadata, "managedFields");
  else object.metadata.managedFields = managedFields;
}

/**
 * apiVersion is compared too: another version of the same object counts a generation, as on the real server. So does an
 * empty list or a null where there was nothing, since a custom object has no Go type in which these are the same.
 */
function sameBeyondMetadata(object: DraftObject, old: StoredObject): boolean {
  const fields = new Set([...Object.keys(object), ...Object.keys(old)]);
  fields.delete("metadata");
  return [...fields].every((field) => sameJson(object[field], old[field]));
}
