import { type FieldError, invalidValue, required } from "../../failure/field-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import { type LabelSelector, selects, selectsAll } from "../../registry/label-selector.ts";
import { draftSpec, specOf } from "./object-kind.ts";
import type { PodTemplate } from "./pod-shape.ts";

/** Of a JobSpec, what says which pods are its own. */
interface Selecting {
  manualSelector?: boolean;
  selector?: LabelSelector & { matchLabels?: Record<string, string> };
  template?: PodTemplate;
}

const legacyUid = "controller-uid";
const legacyName = "job-name";
const prefixedUid = "batch.kubernetes.io/controller-uid";
const prefixedName = "batch.kubernetes.io/job-name";

/** Labels that only this job's pods have, and a selector of them. */
export function generateSelector(object: DraftObject): void {
  const spec = draftSpec<Selecting>(object);
  if (spec.manualSelector === true) return;
  spec.template ??= {};
  spec.template.metadata ??= {};
  const { name = "", uid = "" } = object.metadata;
  spec.template.metadata.labels = inOrder({
    [legacyName]: name,
    [prefixedName]: name,
    [legacyUid]: uid,
    [prefixedUid]: uid,
    ...spec.template.metadata.labels,
  });
  const matchLabels = inOrder({ [prefixedUid]: uid, ...spec.selector?.matchLabels });
  spec.selector = { ...spec.selector, matchLabels };
}

/** As Go writes a map. */
function inOrder(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What the server has written into a job must still be there. */
export function checkGenerated(errors: FieldError[], object: DraftObject): void {
  const { manualSelector, selector, template } = specOf<Selecting>(object);
  if (manualSelector === true || selector === undefined) return;
  const { name = "", uid = "" } = object.metadata;
  const labels = template?.metadata?.labels ?? {};
  const expected = { [legacyUid]: uid, [legacyName]: name, [prefixedUid]: uid, [prefixedName]: name };
  for (const [key, wanted] of Object.entries(expected)) {
    const field = `spec.template.metadata.labels[${key}]`;
    if (!Object.hasOwn(labels, key)) errors.push(required(field, `must be '${wanted}'`));
    else if (labels[key] !== wanted) errors.push(invalidValue(field, labels, `must be '${wanted}'`));
  }
  if (!selectsAll(selector) && !selects(selector, expected)) {
    errors.push(invalidValue("spec.selector", selector, "`selector` not auto-generated"));
  }
}
