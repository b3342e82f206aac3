import { compareQuantities } from "farwatch";
import { type FieldError, forbiddenField } from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { copyJson } from "../../schema/plain-object.ts";
import { checkImmutable } from "../field-check.ts";
import { dnsSubdomain } from "../name-rule.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { changedText } from "./changed-text.ts";
import { checkClaimSpec } from "./claim-check.ts";
import {
  draftSpec,
  metaErrors,
  metaUpdateErrors,
  preparesStatus,
  setDefaultText,
  specOf,
  statusOf,
} from "./object-kind.ts";
import { applyClaimDefaults } from "./pod-default.ts";
import type { ClaimSpec, ResourceList } from "./pod-shape.ts";
import { quantityOf } from "./resource-check.ts";

function validateClaim(object: DraftObject): FieldError[] {
  const errors = metaErrors(object, { namespaced: true, nameRule: dnsSubdomain });
  checkClaimSpec(errors, "spec", specOf(object));
  return errors;
}

function validateClaimUpdate(object: DraftObject, old: StoredObject): FieldError[] {
  const errors = [...metaUpdateErrors(object, old), ...validateClaim(object)];
  const [spec, before] = [specOf<ClaimSpec>(object), specOf<ClaimSpec>(old)];
  const comparable: ClaimSpec = copyJson(spec);
  const take = (field: "storageClassName" | "volumeAttributesClassName" | "volumeName"): void => {
    if (before[field] === undefined) Reflect.deleteProperty(comparable, field);
    else comparable[field] = before[field];
  };
  if ((before.volumeName ?? "") === "") take("volumeName");
  if (before.storageClassName === undefined) take("storageClassName");
  const storage = before.resources?.requests?.storage;
  if (statusOf(object).phase === "Bound") {
    if (comparable.resources?.requests !== undefined && storage !== undefined)
      comparable.resources.requests.storage = storage;
    take("volumeAttributesClassName");
  }
  if (!semanticEqual(comparable, before)) {
    const what =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    errors.push(forbiddenField("spec", `${what}\n${changedText(before, comparable)}`));
  }
  const [newSize, oldSize] = [quantityOf(spec.resources?.requests?.storage), quantityOf(storage)];
  const capacity = statusOf(old).capacity as ResourceList | undefined;
  if (compareQuantities(newSize, oldSize) < 0 && compareQuantities(newSize, quantityOf(capacity?.storage)) <= 0) {
    errors.push(forbiddenField("spec.resources.requests.storage", "field can not be less than status.capacity"));
  }
  checkImmutable(errors, "volumeMode", { value: spec.volumeMode, old: before.volumeMode });
  return errors;
}

/** PersistentVolumeClaim of core/v1. */
export const persistentVolumeClaimStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    applyClaimDefaults(draftSpec<ClaimSpec>(object));
    const status = { ...(object.status as { phase?: string } | undefined) };
    setDefaultText(status, "phase", "Pending");
    object.status = status;
  },
  ...preparesStatus({ empty: { phase: "Pending" } }),
  validate: validateClaim,
  validateUpdate(object, old, { subresource }): FieldError[] {
    if (subresource === undefined) return validateClaimUpdate(object, old);
    return metaUpdateErrors(object, old);
  },
};
