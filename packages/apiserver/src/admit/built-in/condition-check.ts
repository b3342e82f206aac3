import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../failure/field-error.ts";
import { isLongerThan, patternText, qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";

interface GivenCondition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

const reasonText = patternText(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
  "my_name",
  "MY_NAME",
  "MyName",
  "ReasonA,ReasonB",
  "ReasonA:ReasonB",
);

/** A list of metav1.Condition. */
export function checkConditions(errors: FieldError[], path: string, conditions: unknown): void {
  const seen = new Set<string>();
  ((conditions ?? []) as readonly GivenCondition[]).forEach((condition, index) => {
    const at = `${path}[${index}]`;
    const { type = "", status = "", observedGeneration = 0, reason = "", message = "" } = condition;
    if (seen.has(type)) errors.push(duplicate(`${at}.type`, type));
    seen.add(type);
    pushFaults(errors, `${at}.type`, type, qualifiedName(type));
    const statuses = ["False", "True", "Unknown"];
    if (!statuses.includes(status)) errors.push(notSupported(`${at}.status`, status, statuses));
    if (observedGeneration < 0) {
      errors.push(
        invalidValue(`${at}.observedGeneration`, observedGeneration, "must be greater than or equal to zero"),
      );
    }
    if ((condition.lastTransitionTime ?? null) === null) errors.push(required(`${at}.lastTransitionTime`));
    if (reason === "") errors.push(required(`${at}.reason`));
    else {
      if (!/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason))
        errors.push(invalidValue(`${at}.reason`, reason, reasonText));
      if (isLongerThan(reason, 1_024)) errors.push(tooLong(`${at}.reason`, 1_024));
    }
    if (isLongerThan(message, 32_768)) errors.push(tooLong(`${at}.message`, 32_768));
  });
}
