import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../failure/field-error.ts";
import type { LabelSelector } from "../registry/label-selector.ts";
import { ianaServiceName, labelValue, type NameRule, qualifiedName, rangeText } from "./name-rule.ts";
import { immutableText, pushFaults, pushLabelErrors } from "./object-meta.ts";
import { semanticEqual } from "./semantic-equal.ts";

/** A number or, as a string, a name or a percentage. */
export type IntOrString = number | string;

export const negativeText = "must be greater than or equal to 0";

/** One error where a number is below zero. */
export function checkNonNegative(errors: FieldError[], path: string, value: number | undefined): void {
  if ((value ?? 0) < 0) errors.push(invalidValue(path, value, negativeText));
}

/** One error where a value is not what it was. */
export function checkImmutable(
  errors: FieldError[],
  path: string,
  { value, old, printed = value }: { readonly value: unknown; readonly old: unknown; readonly printed?: unknown },
): void {
  if (!semanticEqual(value, old)) errors.push(invalidValue(path, printed, immutableText));
}

/** Errors of a name or another text with a rule; a missing one is required. */
export function checkName(errors: FieldError[], path: string, text: string | undefined, rule: NameRule): void {
  if ((text ?? "") === "") errors.push(required(path));
  else pushFaults(errors, path, text, rule(text ?? ""));
}

/** One of a closed set; missing is another error than unknown. */
export function checkOneOf(
  errors: FieldError[],
  path: string,
  {
    value,
    of,
    missing = "required",
  }: {
    readonly value: string | undefined;
    readonly of: readonly string[];
    readonly missing?: "fine" | "notSupported" | "required";
  },
): void {
  if ((value ?? "") === "" && missing !== "notSupported") {
    if (missing === "required") errors.push(required(path));
  } else if (!of.includes(value ?? "")) errors.push(notSupported(path, value ?? "", of));
}

export function checkPort(errors: FieldError[], path: string, port: number | undefined): void {
  const value = port ?? 0;
  if (value < 1 || value > 65_535) errors.push(invalidValue(path, value, rangeText(1, 65_535)));
}

/** The number or name of a port. */
export function checkPortNumberOrName(errors: FieldError[], path: string, port: IntOrString | undefined): void {
  if (typeof port === "string") pushFaults(errors, path, port, ianaServiceName(port));
  else checkPort(errors, path, port);
}

/** metav1.LabelSelector, as ValidateLabelSelector judges it. */
export function checkLabelSelector(errors: FieldError[], path: string, selector: LabelSelector | undefined): void {
  if (selector === undefined) return;
  pushLabelErrors(errors, selector.matchLabels, `${path}.matchLabels`);
  selector.matchExpressions?.forEach((expression, index) => {
    const at = `${path}.matchExpressions[${index}]`;
    const { key = "", operator = "", values = [] } = expression;
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0) {
        errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      }
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0) {
        errors.push(
          forbiddenField(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        );
      }
    } else errors.push(invalidValue(`${at}.operator`, operator, "not a valid selector operator"));
    pushFaults(errors, `${at}.key`, key, qualifiedName(key));
    for (const [position, value] of values.entries()) {
      pushFaults(errors, `${at}.values[${position}]`, value, labelValue(value));
    }
  });
}
