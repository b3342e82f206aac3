import {
  duplicate,
  type FieldError,
  invalidField,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from "../../failure/field-error.ts";
import { qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import type { PodSpec } from "./pod-shape.ts";

interface FailureRule {
  action?: string;
  onExitCodes?: { operator?: string; containerName?: string; values?: number[] };
  onPodConditions?: { type?: string; status?: string }[];
}

export interface FailurePolicy {
  rules?: FailureRule[];
}

const quoted = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;

/** podFailurePolicy of a job; `perIndex` says that its indexes have a limit of failures each. */
export function checkFailurePolicy(
  errors: FieldError[],
  path: string,
  { policy, pod, perIndex }: { readonly policy: FailurePolicy; readonly pod: PodSpec; readonly perIndex: boolean },
): void {
  const { rules = [] } = policy;
  if (rules.length > 20) errors.push(tooMany(`${path}.rules`, rules.length, 20));
  const names = [...(pod.containers ?? []), ...(pod.initContainers ?? [])].map(({ name = "" }) => name);
  const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
  rules.forEach((rule, index) => {
    const at = `${path}.rules[${index}]`;
    const { action = "", onExitCodes, onPodConditions = [] } = rule;
    if (action === "") errors.push(required(`${at}.action`, `valid values: ${quoted(actions)}`));
    else if (action === "FailIndex") {
      if (!perIndex) {
        errors.push(invalidValue(`${at}.action`, action, "requires the backoffLimitPerIndex to be set"));
      }
    } else if (!actions.includes(action)) errors.push(notSupported(`${at}.action`, action, actions));
    if (onExitCodes !== undefined) checkExitCodes(errors, `${at}.onExitCodes`, { codes: onExitCodes, names });
    onPodConditions.forEach(({ type = "", status = "" }, position) => {
      const field = `${at}.onPodConditions[${position}]`;
      const statuses = ["False", "True", "Unknown"];
      pushFaults(errors, `${field}.type`, type, qualifiedName(type));
      if (status === "") errors.push(required(`${field}.status`, `valid values: ${quoted(statuses)}`));
      else if (!statuses.includes(status)) errors.push(notSupported(`${field}.status`, status, statuses));
    });
    const ways = (onExitCodes === undefined ? 0 : 1) + (onPodConditions.length > 0 ? 1 : 0);
    if (ways === 2) errors.push(invalidField(at, "specifying both OnExitCodes and OnPodConditions is not supported"));
    if (ways === 0) errors.push(invalidField(at, "specifying one of OnExitCodes and OnPodConditions is required"));
  });
}

function checkExitCodes(
  errors: FieldError[],
  path: string,
  { codes, names }: { readonly codes: NonNullable<FailureRule["onExitCodes"]>; readonly names: readonly string[] },
): void {
  const { operator = "", containerName, values = [] } = codes;
  const operators = ["In", "NotIn"];
  if (operator === "") errors.push(required(`${path}.operator`, `valid values: ${quoted(operators)}`));
  else if (!operators.includes(operator)) errors.push(notSupported(`${path}.operator`, operator, operators));
  if (containerName !== undefined && !names.includes(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    errors.push(invalidValue(`${path}.containerName`, containerName, detail));
  }
  if (values.length === 0)
    errors.push(invalidValue(`${path}.values`, codes.values ?? null, "at least one value is required"));
  else if (values.length > 255) errors.push(tooMany(`${path}.values`, values.length, 255));
  for (const [index, value] of values.entries()) {
    const at = `${path}.values[${index}]`;
    if (operator === "In" && value === 0) errors.push(invalidValue(at, value, "must not be 0 for the In operator"));
    if (values.indexOf(value) < index) errors.push(duplicate(at, value));
  }
  if (values.some((value, index) => index > 0 && (values[index - 1] ?? value) > value)) {
    errors.push(invalidValue(`${path}.values`, values, "must be ordered"));
  }
}
