import { type FieldError, forbiddenField, invalidValue, required, tooLong } from "../failure/field-error.ts";
import type { DraftManagedFields, DraftMeta, DraftOwner } from "../registry/api-object.ts";
import { dnsLabel, isLongerThan, labelValue, type NameRule, qualifiedName } from "./name-rule.ts";

/** metadata of an object on its way or of a stored one. */
export type Meta = Readonly<DraftMeta>;

export interface MetaRules {
  readonly namespaced: boolean;
  readonly nameRule: NameRule;
}

export const immutableText = "field is immutable";

const maxAnnotationBytes = 256 * 1_024;
const none: readonly FieldError[] = [];

/**
 * ValidateObjectMeta of k8s.io/apimachinery: what every write of every kind must keep to, with the kind's rule for
 * names. Name generation has been done.
 */
export function validateMeta(meta: Meta, { namespaced, nameRule }: MetaRules): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { name = "", generateName = "", namespace = "" } = meta;
  if (generateName !== "") pushFaults(errors, "metadata.generateName", generateName, nameRule(generateName, true));
  if (name === "") errors.push(required("metadata.name", "name or generateName is required"));
  else pushFaults(errors, "metadata.name", name, nameRule(name));
  if (!namespaced) {
    if (namespace !== "") errors.push(forbiddenField("metadata.namespace", "not allowed on this type"));
  } else if (namespace === "") errors.push(required("metadata.namespace"));
  else pushFaults(errors, "metadata.namespace", namespace, dnsLabel(namespace));
  if ((meta.generation ?? 0) < 0) {
    errors.push(invalidValue("metadata.generation", meta.generation, "must be greater than or equal to 0"));
  }
  pushLabelErrors(errors, meta.labels, "metadata.labels");
  pushAnnotationErrors(errors, meta.annotations, "metadata.annotations");
  pushOwnerErrors(errors, meta.ownerReferences);
  pushFinalizerErrors(errors, meta.finalizers);
  pushManagedFieldsErrors(errors, meta.managedFields);
  return errors.length === 0 ? none : errors;
}

/** ValidateObjectMetaUpdate of k8s.io/apimachinery: what a write may not change. */
export function validateMetaUpdate(meta: Meta, old: Meta): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined && meta.finalizers !== undefined) {
    const known = new Set(old.finalizers);
    const added = [...new Set(meta.finalizers.filter((finalizer) => !known.has(finalizer)))].sort();
    if (added.length > 0) {
      const list = added.map((finalizer) => JSON.stringify(finalizer)).join(", ");
      errors.push(
        forbiddenField(
          "metadata.finalizers",
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
        ),
      );
    }
  }
  if ((meta.resourceVersion ?? "") === "") {
    errors.push(invalidValue("metadata.resourceVersion", "", "must be specified for an update"));
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalidValue("metadata.generation", meta.generation ?? 0, "must not be decremented"));
  }
  for (const field of ["name", "namespace", "uid"] as const) {
    const text = meta[field] ?? "";
    if (text !== (old[field] ?? "")) errors.push(invalidValue(`metadata.${field}`, text, immutableText));
  }
  for (const field of ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const) {
    const value = meta[field] ?? null;
    if (value !== (old[field] ?? null)) errors.push(invalidValue(`metadata.${field}`, value, immutableText));
  }
  pushLabelErrors(errors, meta.labels, "metadata.labels");
  pushAnnotationErrors(errors, meta.annotations, "metadata.annotations");
  pushOwnerErrors(errors, meta.ownerReferences);
  pushManagedFieldsErrors(errors, meta.managedFields);
  return errors.length === 0 ? none : errors;
}

const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** What built-in kinds ask of finalizers in addition. */
export function validateFinalizersOfBuiltIn({ finalizers = [] }: Meta): readonly FieldError[] {
  const errors: FieldError[] = [];
  finalizers.forEach((finalizer, index) => {
    if (finalizer.includes("/") || standardFinalizers.has(finalizer)) return;
    const detail = "name is neither a standard finalizer name nor is it fully qualified";
    errors.push(invalidValue(`metadata.finalizers[${index}]`, finalizer, detail));
  });
  return errors;
}

/** What custom resources are warned of instead, each finalizer when it is added. */
export function finalizerWarnings(meta: Meta, old?: Meta): readonly string[] {
  if (meta.finalizers === undefined) return [];
  const known = new Set(old?.finalizers);
  const added = [...new Set(meta.finalizers.filter((finalizer) => !known.has(finalizer)))].sort();
  return added.flatMap((finalizer) => {
    const where = `metadata.finalizers: ${JSON.stringify(finalizer)}`;
    const faults = qualifiedName(finalizer).map((fault) => `${where}: ${fault}`);
    if (finalizer.includes("/") || standardFinalizers.has(finalizer)) return faults;
    const path = finalizer.includes(".") ? " including a path (/)" : "";
    const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    return [...faults, `${where}: ${advice}`];
  });
}

/** Pushes one error a fault. */
export function pushFaults(errors: FieldError[], field: string, value: unknown, faults: readonly string[]): void {
  for (const fault of faults) errors.push(invalidValue(field, value, fault));
}

/** Labels, or a selector's matchLabels. */
export function pushLabelErrors(
  errors: FieldError[],
  labels: Readonly<Record<string, string>> | undefined,
  path: string,
): void {
  if (labels === undefined) return;
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? "";
    pushFaults(errors, path, key, qualifiedName(key));
    pushFaults(errors, path, value, labelValue(value));
  }
}

export function pushAnnotationErrors(
  errors: FieldError[],
  annotations: Readonly<Record<string, string>> | undefined,
  path: string,
): void {
  if (annotations === undefined) return;
  let bytes = 0;
  for (const key of Object.keys(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? "");
    pushFaults(errors, path, key, qualifiedName(key.toLowerCase()));
  }
  if (bytes > maxAnnotationBytes) errors.push(tooLong(path, maxAnnotationBytes));
}

/** In the order and with the fields that Go prints. */
function printedOwner(owner: Readonly<DraftOwner>): object {
  const { apiVersion = "", kind = "", name = "", uid = "", controller, blockOwnerDeletion } = owner;
  return { apiVersion, kind, name, uid, controller, blockOwnerDeletion };
}

function pushOwnerErrors(errors: FieldError[], owners: readonly Readonly<DraftOwner>[] | undefined): void {
  if (owners === undefined) return;
  const path = "metadata.ownerReferences";
  let controller: string | undefined;
  for (const owner of owners) {
    const { apiVersion = "", kind = "", name = "", uid = "" } = owner;
    if (versionOf(apiVersion) === "") {
      errors.push(invalidValue(`${path}.apiVersion`, apiVersion, "version must not be empty"));
    }
    if (kind === "") errors.push(invalidValue(`${path}.kind`, kind, "must not be empty"));
    if (name === "") errors.push(invalidValue(`${path}.name`, name, "must not be empty"));
    if (uid === "") errors.push(invalidValue(`${path}.uid`, uid, "must not be empty"));
    if (apiVersion === "v1" && kind === "Event") {
      errors.push(invalidValue(path, printedOwner(owner), "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (owner.controller !== true) continue;
    if (controller === undefined) controller = `${kind}/${name}`;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${kind}/${name}`;
      errors.push(invalidValue(path, owners.map(printedOwner), detail));
    }
  }
}

/** Of `group/version` or `version`; empty where it is neither. */
function versionOf(apiVersion: string): string {
  const parts = apiVersion.split("/");
  return parts.length > 2 ? "" : (parts.at(-1) ?? "");
}

function pushFinalizerErrors(errors: FieldError[], finalizers: readonly string[] | undefined): void {
  if (finalizers === undefined) return;
  for (const finalizer of finalizers) pushFaults(errors, "metadata.finalizers", finalizer, qualifiedName(finalizer));
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const detail = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push(invalidValue("metadata.finalizers", finalizers, detail));
  }
}

function pushManagedFieldsErrors(
  errors: FieldError[],
  managedFields: readonly Readonly<DraftManagedFields>[] | undefined,
): void {
  managedFields?.forEach((entry, index) => {
    const path = `metadata.managedFields[${index}]`;
    if (entry.operation !== "Apply" && entry.operation !== "Update") {
      errors.push(invalidValue(`${path}.operation`, entry.operation ?? "", "must be `Apply` or `Update`"));
    }
    const fieldsType: string = entry.fieldsType ?? "";
    if (fieldsType !== "" && fieldsType !== "FieldsV1") {
      errors.push(invalidValue(`${path}.fieldsType`, fieldsType, "must be `FieldsV1`"));
    }
    errors.push(...validateFieldManager(entry.manager ?? "", `${path}.manager`));
    if (isLongerThan(entry.subresource ?? "", 256)) errors.push(tooLong(`${path}.subresource`, 256));
  });
}

const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Of a managedFields entry, and of the query parameter `fieldManager`. */
export function validateFieldManager(manager: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isLongerThan(manager, 128)) errors.push(tooLong(path, 128));
  if (/^[ -~]*$/.test(manager)) return errors;
  for (const match of manager.matchAll(unprintable)) {
    const point = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const position = Buffer.byteLength(manager.slice(0, match.index));
    errors.push(invalidValue(path, manager, `invalid character U+${point} (at position ${position})`));
  }
  return errors;
}
