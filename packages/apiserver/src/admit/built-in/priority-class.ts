import { type FieldError, forbiddenField } from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { checkImmutable, checkOneOf } from "../field-check.ts";
import { dnsSubdomain } from "../name-rule.ts";
import type { Strategy } from "../strategy.ts";
import { metaErrors, metaUpdateErrors, setDefault } from "./object-kind.ts";

interface PriorityClassObject {
  value?: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

const viewOf = (object: DraftObject | StoredObject): PriorityClassObject => object as PriorityClassObject;
const maxPriority = 1_000_000_000;
const systemClasses: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

function systemFault({ metadata: { name = "" }, ...object }: DraftObject): string | undefined {
  const { value = 0, globalDefault = false } = object as PriorityClassObject;
  if (!Object.hasOwn(systemClasses, name)) return `${name} is not a known system priority class`;
  if (value !== systemClasses[name]) return `value of ${name} PriorityClass must be ${systemClasses[name]}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

/** PriorityClass of scheduling.k8s.io/v1. */
export const priorityClassStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    setDefault(viewOf(object), "preemptionPolicy", "PreemptLowerPriority");
  },
  prepareForCreate(object): void {
    object.metadata.generation = 1;
  },
  validate(object): FieldError[] {
    const errors = metaErrors(object, { namespaced: false, nameRule: dnsSubdomain });
    const { name = "" } = object.metadata;
    const { value = 0, preemptionPolicy } = viewOf(object);
    const fault = name.startsWith("system-") ? systemFault(object) : undefined;
    if (fault !== undefined) {
      const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${fault}`;
      errors.push(forbiddenField("metadata.name", detail));
    } else if (!name.startsWith("system-") && value > maxPriority) {
      errors.push(forbiddenField("value", `maximum allowed value of a user defined priority is ${maxPriority}`));
    }
    if (preemptionPolicy !== undefined) {
      checkOneOf(errors, "preemptionPolicy", { value: preemptionPolicy, of: ["PreemptLowerPriority", "Never"] });
    }
    return errors;
  },
  validateUpdate(object, old): FieldError[] {
    const errors = metaUpdateErrors(object, old);
    const [now, before] = [viewOf(object), viewOf(old)];
    if ((now.value ?? 0) !== (before.value ?? 0))
      errors.push(forbiddenField("value", "may not be changed in an update."));
    checkImmutable(errors, "preemptionPolicy", { value: now.preemptionPolicy, old: before.preemptionPolicy });
    return errors;
  },
};
