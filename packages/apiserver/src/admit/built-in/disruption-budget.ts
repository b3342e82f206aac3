import { type FieldError, invalidValue, notSupported } from "../../failure/field-error.ts";
import type { LabelSelector } from "../../registry/label-selector.ts";
import { checkLabelSelector, checkNonNegative, type IntOrString } from "../field-check.ts";
import type { Strategy } from "../strategy.ts";
import { checkConditions } from "./condition-check.ts";
import { preparesStatus, specOf, statusOf } from "./object-kind.ts";
import { checkAmountOrPercent, checkAtMost100Percent } from "./workload-check.ts";

interface BudgetSpec {
  minAvailable?: IntOrString;
  maxUnavailable?: IntOrString;
  selector?: LabelSelector;
  unhealthyPodEvictionPolicy?: string;
}

function check(spec: BudgetSpec): FieldError[] {
  const errors: FieldError[] = [];
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const printed = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: policy ?? null,
    };
    errors.push(invalidValue("spec", printed, "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const field of ["minAvailable", "maxUnavailable"] as const) {
    if (spec[field] === undefined) continue;
    checkAmountOrPercent(errors, `spec.${field}`, spec[field]);
    checkAtMost100Percent(errors, `spec.${field}`, spec[field]);
  }
  checkLabelSelector(errors, "spec.selector", selector);
  const policies = ["AlwaysAllow", "IfHealthyBudget"];
  if (policy !== undefined && !policies.includes(policy)) {
    errors.push(notSupported("spec.unhealthyPodEvictionPolicy", policy, policies));
  }
  return errors;
}

/** PodDisruptionBudget of policy/v1, whose name can be anything that stands in a path. */
export const podDisruptionBudgetStrategy: Strategy = {
  ...preparesStatus({
    empty: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    generation: ["spec"],
  }),
  validate: (object) => check(specOf(object)),
  validateUpdate(object, _old, { subresource }): FieldError[] {
    if (subresource === undefined) return check(specOf(object));
    const errors: FieldError[] = [];
    const status = statusOf(object);
    checkConditions(errors, "status.conditions", status.conditions);
    for (const field of ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"]) {
      checkNonNegative(errors, `status.${field}`, (status[field] ?? 0) as number);
    }
    return errors;
  },
};
