import { type FieldError, invalidValue } from "../../failure/field-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import { dnsLabel, qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import type { Strategy } from "../strategy.ts";
import { keepField, metaErrors, metaUpdateErrors } from "./object-kind.ts";

interface NamespaceSpec {
  finalizers?: string[];
}

const rules = { namespaced: false, nameRule: dnsLabel } as const;

function labelWithName({ metadata }: DraftObject): void {
  if ((metadata.name ?? "") === "") return;
  metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name ?? "" };
}

function checkFinalizers(errors: FieldError[], object: DraftObject, pathOf: (index: number) => string): void {
  const spec = object.spec as NamespaceSpec | undefined;
  spec?.finalizers?.forEach((finalizer, index) => {
    pushFaults(errors, pathOf(index), finalizer, qualifiedName(finalizer));
    if (finalizer.includes("/") || ["kubernetes", "orphan", "foregroundDeletion"].includes(finalizer)) return;
    const detail = "name is neither a standard finalizer name nor is it fully qualified";
    errors.push(invalidValue(pathOf(index), finalizer, detail));
  });
}

function validate(object: DraftObject): FieldError[] {
  const errors = metaErrors(object, rules);
  checkFinalizers(errors, object, () => "spec.finalizers");
  return errors;
}

/** Namespace of core/v1, with its subresources `status` and `finalize`. */
export const namespaceStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults: labelWithName,
  prepareForCreate(object): void {
    labelWithName(object);
    const spec = { ...(object.spec as NamespaceSpec | undefined) };
    const finalizers = spec.finalizers ?? [];
    if (!finalizers.includes("kubernetes")) spec.finalizers = [...finalizers, "kubernetes"];
    object.spec = spec;
    object.status = { phase: "Active" };
  },
  prepareForUpdate(object, old, { subresource }): void {
    if (subresource !== "finalize") keepField(object, old, "spec");
    if (subresource !== "status") keepField(object, old, "status");
    labelWithName(object);
  },
  validate,
  validateUpdate(object, old, { subresource }): FieldError[] {
    if (subresource === undefined) return [...validate(object), ...metaUpdateErrors(object, old)];
    const errors = metaUpdateErrors(object, old);
    if (subresource === "finalize") checkFinalizers(errors, object, (index) => `spec.finalizers[${index}]`);
    else {
      const { phase = "" } = (object.status ?? {}) as { readonly phase?: string };
      const deleting = object.metadata.deletionTimestamp !== undefined;
      const wanted = deleting ? "Terminating" : "Active";
      const detail = `may only be '${wanted}' if \`deletionTimestamp\` is ${deleting ? "not empty" : "empty"}`;
      if (phase !== wanted) errors.push(invalidValue("status.Phase", phase, detail));
    }
    return errors;
  },
};
