import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../failure/field-error.ts";
import { checkLabelSelector } from "../field-check.ts";
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import type { Affinity, NodeSelector, PodAffinityTerm, SpreadConstraint, Toleration } from "./pod-shape.ts";

type Term = NonNullable<NodeSelector["nodeSelectorTerms"]>[number];

export function checkAffinity(errors: FieldError[], path: string, affinity: Affinity | undefined): void {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  const node = `${path}.nodeAffinity`;
  if (nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined) {
    checkNodeSelector(errors, `${node}.${requiredField}`, nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution);
  }
  nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ weight = 0, preference = {} }, index) => {
    const at = `${node}.${preferredField}[${index}]`;
    checkWeight(errors, at, weight);
    checkTerm(errors, `${at}.preference`, { term: preference, withValues: false });
  });
  for (const [field, pods] of [
    ["podAffinity", podAffinity],
    ["podAntiAffinity", podAntiAffinity],
  ] as const) {
    pods?.requiredDuringSchedulingIgnoredDuringExecution?.forEach((term, index) => {
      checkPodTerm(errors, `${path}.${field}.${requiredField}[${index}]`, term);
    });
    pods?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ weight = 0, podAffinityTerm = {} }, index) => {
      const at = `${path}.${field}.${preferredField}[${index}]`;
      checkWeight(errors, at, weight);
      checkPodTerm(errors, `${at}.podAffinityTerm`, podAffinityTerm);
    });
  }
}

const requiredField = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredField = "preferredDuringSchedulingIgnoredDuringExecution";

function checkWeight(errors: FieldError[], path: string, weight: number): void {
  if (weight <= 0 || weight > 100) errors.push(invalidValue(`${path}.weight`, weight, "must be in the range 1-100"));
}

/** Terms of which a node must meet one. */
export function checkNodeSelector(
  errors: FieldError[],
  path: string,
  { nodeSelectorTerms: terms = [] }: NodeSelector,
): void {
  if (terms.length === 0) {
    errors.push(required(`${path}.nodeSelectorTerms`, "must have at least one node selector term"));
  }
  terms.forEach((term, index) => {
    checkTerm(errors, `${path}.nodeSelectorTerms[${index}]`, { term, withValues: true });
  });
}

function checkTerm(
  errors: FieldError[],
  path: string,
  { term, withValues }: { term: Term; withValues: boolean },
): void {
  term.matchExpressions?.forEach(({ key = "", operator = "", values = [] }, index) => {
    const at = `${path}.matchExpressions[${index}]`;
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0) {
        errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      }
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0) {
        const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
        errors.push(forbiddenField(`${at}.values`, detail));
      }
    } else if (operator === "Gt" || operator === "Lt") {
      if (values.length !== 1) {
        errors.push(required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      }
    } else errors.push(invalidValue(`${at}.operator`, operator, "not a valid selector operator"));
    pushFaults(errors, `${at}.key`, key, qualifiedName(key));
    if (!withValues) return;
    for (const [position, value] of values.entries()) {
      pushFaults(errors, `${at}.values[${position}]`, value, labelValue(value));
    }
  });
  term.matchFields?.forEach(({ key = "", operator = "", values = [] }, index) => {
    const at = `${path}.matchFields[${index}]`;
    if (operator !== "In" && operator !== "NotIn") {
      errors.push(invalidValue(`${at}.operator`, operator, "not a valid selector operator"));
    } else if (values.length !== 1) {
      const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
      errors.push(required(`${at}.values`, detail));
    }
    if (key !== "metadata.name") errors.push(invalidValue(`${at}.key`, key, "not a valid field selector key"));
    else {
      for (const [position, value] of values.entries()) {
        pushFaults(errors, `${at}.values[${position}]`, value, dnsSubdomain(value));
      }
    }
  });
}

function checkPodTerm(errors: FieldError[], path: string, term: PodAffinityTerm): void {
  const { topologyKey = "" } = term;
  checkLabelSelector(errors, `${path}.labelSelector`, term.labelSelector);
  checkLabelSelector(errors, `${path}.namespaceSelector`, term.namespaceSelector);
  for (const name of term.namespaces ?? []) pushFaults(errors, `${path}.namespace`, name, dnsLabel(name));
  if (topologyKey === "") errors.push(required(`${path}.topologyKey`, "can not be empty"));
  pushFaults(errors, `${path}.topologyKey`, topologyKey, qualifiedName(topologyKey));
}

const actions = ["DoNotSchedule", "ScheduleAnyway"];

export function checkSpread(
  errors: FieldError[],
  path: string,
  constraints: readonly SpreadConstraint[] | undefined,
): void {
  constraints?.forEach((constraint, index) => {
    const at = `${path}[${index}]`;
    const { maxSkew = 0, topologyKey = "", whenUnsatisfiable = "", minDomains, labelSelector } = constraint;
    if (maxSkew <= 0) errors.push(invalidValue(`${at}.maxSkew`, maxSkew, "must be greater than zero"));
    if (topologyKey === "") errors.push(required(`${at}.topologyKey`, "can not be empty"));
    if (!actions.includes(whenUnsatisfiable))
      errors.push(notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, actions));
    const same = (other: SpreadConstraint): boolean =>
      (other.topologyKey ?? "") === topologyKey && (other.whenUnsatisfiable ?? "") === whenUnsatisfiable;
    if (constraints.slice(index + 1).some(same)) {
      errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`));
    }
    if (minDomains !== undefined) {
      if (minDomains <= 0) errors.push(invalidValue(`${at}.minDomains`, minDomains, "must be greater than zero"));
      if (whenUnsatisfiable !== "DoNotSchedule") {
        const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
        errors.push(invalidValue(`${at}.minDomains`, minDomains, detail));
      }
    }
    checkLabelSelector(errors, `${at}.labelSelector`, labelSelector);
  });
}

export const taintEffects: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function checkTolerations(
  errors: FieldError[],
  path: string,
  tolerations: readonly Toleration[] | undefined,
): void {
  tolerations?.forEach(({ key = "", operator = "", value = "", effect = "", tolerationSeconds }, index) => {
    const at = `${path}[${index}]`;
    if (key !== "") pushFaults(errors, `${at}.key`, key, qualifiedName(key));
    if (key === "" && operator !== "Exists") {
      const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalidValue(`${at}.operator`, operator, detail));
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      errors.push(invalidValue(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    if (operator === "" || operator === "Equal") {
      const faults = labelValue(value);
      if (faults.length > 0) errors.push(invalidValue(`${at}.operator`, value, faults.join(";")));
    } else if (operator === "Exists") {
      if (value !== "") {
        errors.push(invalidValue(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"));
      }
    } else {
      const isComparison = operator === "Lt" || operator === "Gt";
      const known = ["Equal", "Exists", ...(isComparison ? ["Lt", "Gt"] : [])];
      errors.push(notSupported(`${at}.operator`, operator, known));
    }
    if (effect !== "" && !taintEffects.includes(effect))
      errors.push(notSupported(`${at}.effect`, effect, taintEffects));
  });
}
