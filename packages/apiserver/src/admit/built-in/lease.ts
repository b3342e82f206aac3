import { type FieldError, invalidValue } from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { negativeText } from "../field-check.ts";
import { dnsSubdomain } from "../name-rule.ts";
import { validateMeta, validateMetaUpdate } from "../object-meta.ts";
import type { Strategy } from "../strategy.ts";

interface LeaseSpec {
  leaseDurationSeconds?: number;
  leaseTransitions?: number;
  strategy?: string;
  preferredHolder?: string;
}

const specOf = (object: DraftObject | StoredObject): LeaseSpec => (object.spec ?? {}) as LeaseSpec;

function checkSpec(errors: FieldError[], { leaseDurationSeconds, leaseTransitions }: LeaseSpec): FieldError[] {
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    errors.push(invalidValue("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0"));
  }
  if (leaseTransitions !== undefined && leaseTransitions < 0) {
    errors.push(invalidValue("spec.leaseTransitions", leaseTransitions, negativeText));
  }
  return errors;
}

/** Fields of coordinated leader election, a feature that is off by default. */
function dropCoordination(object: DraftObject): void {
  const spec = specOf(object);
  Reflect.deleteProperty(spec, "strategy");
  Reflect.deleteProperty(spec, "preferredHolder");
}

/** Lease of coordination.k8s.io/v1. */
export const leaseStrategy: Strategy = {
  allowCreateOnUpdate: true,
  prepareForCreate: dropCoordination,
  prepareForUpdate: dropCoordination,
  validate: (object) =>
    checkSpec([...validateMeta(object.metadata, { namespaced: true, nameRule: dnsSubdomain })], specOf(object)),
  validateUpdate: (object, old) => checkSpec([...validateMetaUpdate(object.metadata, old.metadata)], specOf(object)),
};
