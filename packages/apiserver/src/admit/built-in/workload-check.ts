import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import { type LabelSelector, selects, selectsAll } from "../../registry/label-selector.ts";
import { checkLabelSelector, checkNonNegative, type IntOrString } from "../field-check.ts";
import { pushAnnotationErrors, pushLabelErrors } from "../object-meta.ts";
import type { PodTemplate } from "./pod-shape.ts";
import { checkPodSpec } from "./pod-spec-check.ts";

/** A template's metadata and spec. */
export function checkTemplate(errors: FieldError[], path: string, template: PodTemplate): void {
  pushLabelErrors(errors, template.metadata?.labels, `${path}.labels`);
  pushAnnotationErrors(errors, template.metadata?.annotations, `${path}.annotations`);
  const spec = template.spec ?? {};
  checkPodSpec(errors, `${path}.spec`, { spec, isPod: false });
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbiddenField(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template"));
  }
}

/** Of pods that run until they are deleted. */
export function checkRunsAlways(
  errors: FieldError[],
  path: string,
  { template, kind }: { readonly template: PodTemplate; readonly kind: string },
): void {
  const { restartPolicy = "", activeDeadlineSeconds } = template.spec ?? {};
  if (restartPolicy !== "Always") errors.push(notSupported(`${path}.spec.restartPolicy`, restartPolicy, ["Always"]));
  if (activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(forbiddenField(`${path}.spec.activeDeadlineSeconds`, detail));
  }
}

/** A selector that must be there and select something; false when the template cannot be compared with it. */
export function checkRequiredSelector(
  errors: FieldError[],
  selector: LabelSelector | undefined,
  { kind, unreadable }: { readonly kind: string; readonly unreadable: string },
): boolean {
  const path = "spec.selector";
  if (selector === undefined) {
    errors.push(required(path));
    return true;
  }
  const before = errors.length;
  checkLabelSelector(errors, path, selector);
  const readable = errors.length === before;
  if (selectsAll(selector)) errors.push(invalidValue(path, selector, `empty selector is invalid for ${kind}`));
  if (!readable) errors.push(invalidValue(path, selector, unreadable));
  return readable;
}

/** No selector selects nothing. */
export function checkTemplateSelected(
  errors: FieldError[],
  selector: LabelSelector | undefined,
  template: PodTemplate,
): void {
  const labels = template.metadata?.labels;
  const selected = selector !== undefined && (selectsAll(selector) || selects(selector, labels));
  if (selected) return;
  const detail = "`selector` does not match template `labels`";
  errors.push(invalidValue("spec.template.metadata.labels", labels ?? null, detail));
}

const percentText =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** A number that is not negative, or a percentage. */
export function checkAmountOrPercent(errors: FieldError[], path: string, value: IntOrString | undefined): void {
  if (typeof value !== "string") checkNonNegative(errors, path, value);
  else if (!/^[0-9]+%$/.test(value)) errors.push(invalidValue(path, value, percentText));
}

export function checkAtMost100Percent(errors: FieldError[], path: string, value: IntOrString | undefined): void {
  if (typeof value === "string" && /^[0-9]+%$/.test(value) && Number.parseInt(value, 10) > 100) {
    errors.push(invalidValue(path, value, "must not be greater than 100%"));
  }
}

/** The number, or that before the percent sign; what is neither counts as 0. */
export function amountOf(value: IntOrString | undefined): number {
  if (typeof value !== "string") return value ?? 0;
  return /^-?[0-9]+%?$/.test(value) ? Number.parseInt(value, 10) : 0;
}

/** Fields of a status that count, none of them negative; those in `upTo` are at most another one. */
export function checkCounts(
  errors: FieldError[],
  status: Readonly<Record<string, unknown>>,
  {
    fields,
    upTo = [],
  }: {
    readonly fields: readonly string[];
    readonly upTo?: readonly (readonly [field: string, most: string, text: string])[];
  },
): void {
  const count = (field: string): number => (status[field] ?? 0) as number;
  for (const field of fields) checkNonNegative(errors, `status.${field}`, count(field));
  for (const [field, most, text] of upTo) {
    if (count(field) > count(most))
      errors.push(invalidValue(`status.${field}`, count(field), `cannot be greater than ${text}`));
  }
}

/** Collisions of names are only ever counted up. */
export function checkCollisions(
  errors: FieldError[],
  status: Readonly<Record<string, unknown>>,
  old: Readonly<Record<string, unknown>>,
): void {
  const [now, before] = [status.collisionCount, old.collisionCount] as [number | undefined, number | undefined];
  if (before !== undefined && (now === undefined || now < before)) {
    errors.push(invalidValue("status.collisionCount", now ?? 0, "cannot be decremented"));
  }
}
