import {
  duplicate,
  type FieldError,
  invalidField,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import {
  checkImmutable,
  checkLabelSelector,
  checkNonNegative,
  type LabelSelector,
  selects,
  selectsAll,
} from "../field-check.ts";
import { dnsLabel, dnsSubdomain, qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { cronScheduleFault } from "./cron-schedule.ts";
import { checkJobStatus } from "./job-status.ts";
import {
  draftSpec,
  metaErrors,
  metaUpdateErrors,
  preparesStatus,
  setDefault,
  setDefaultText,
  specOf,
  statusOf,
} from "./object-kind.ts";
import { applyTemplateDefaults } from "./pod-default.ts";
import type { PodSpec, PodTemplate } from "./pod-shape.ts";
import { hostNameWarnings, templateWarnings } from "./pod-warning.ts";
import { checkTemplate, checkTemplateSelected } from "./workload-check.ts";

interface FailureRule {
  action?: string;
  onExitCodes?: { operator?: string; containerName?: string; values?: number[] };
  onPodConditions?: { type?: string; status?: string }[];
}

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  ttlSecondsAfterFinished?: number;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  podFailurePolicy?: { rules?: FailureRule[] };
  successPolicy?: object;
  managedBy?: string;
  manualSelector?: boolean;
  selector?: LabelSelector & { matchLabels?: Record<string, string> };
  template?: PodTemplate;
}

const legacyUid = "controller-uid";
const legacyName = "job-name";
const prefixedUid = "batch.kubernetes.io/controller-uid";
const prefixedName = "batch.kubernetes.io/job-name";
const prepare = preparesStatus({ empty: {}, generation: ["spec"] });
const quoted = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;

/** Labels that only this job's pods have, and a selector of them. */
function generateSelector(object: DraftObject): void {
  const spec = draftSpec<JobSpec>(object);
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
function checkGenerated(errors: FieldError[], object: DraftObject): void {
  const { manualSelector, selector, template } = specOf<JobSpec>(object);
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

function checkFailurePolicy(errors: FieldError[], path: string, spec: JobSpec): void {
  const { rules = [] } = spec.podFailurePolicy ?? {};
  if (rules.length > 20) errors.push(tooMany(`${path}.rules`, rules.length, 20));
  const pod: PodSpec = spec.template?.spec ?? {};
  const names = [...(pod.containers ?? []), ...(pod.initContainers ?? [])].map(({ name = "" }) => name);
  const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
  rules.forEach((rule, index) => {
    const at = `${path}.rules[${index}]`;
    const { action = "", onExitCodes, onPodConditions = [] } = rule;
    if (action === "") errors.push(required(`${at}.action`, `valid values: ${quoted(actions)}`));
    else if (action === "FailIndex") {
      if (spec.backoffLimitPerIndex === undefined) {
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

/** The spec of a job or of the jobs of a CronJob, the selector aside. */
function checkJobSpec(errors: FieldError[], path: string, spec: JobSpec): void {
  for (const field of [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ] as const) {
    checkNonNegative(errors, `${path}.${field}`, spec[field]);
  }
  const { backoffLimitPerIndex, maxFailedIndexes, completionMode, template = {} } = spec;
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    errors.push(required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  const modes = ["NonIndexed", "Indexed"];
  if (completionMode !== undefined && !modes.includes(completionMode)) {
    errors.push(notSupported(`${path}.completionMode`, completionMode, modes));
  }
  if (completionMode === "Indexed") checkIndexed(errors, path, spec);
  else if (completionMode === undefined || completionMode === "NonIndexed") {
    for (const field of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      if (spec[field] !== undefined) {
        errors.push(invalidValue(`${path}.${field}`, spec[field], "requires indexed completion mode"));
      }
    }
  }
  if (spec.podFailurePolicy !== undefined) checkFailurePolicy(errors, `${path}.podFailurePolicy`, spec);
  const { podReplacementPolicy } = spec;
  if (podReplacementPolicy !== undefined) {
    const policies = spec.podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
    if (!policies.includes(podReplacementPolicy)) {
      errors.push(notSupported(`${path}.podReplacementPolicy`, podReplacementPolicy, policies));
    }
  }
  checkTemplate(errors, `${path}.template`, template);
  const { restartPolicy = "" } = template.spec ?? {};
  const at = `${path}.template.spec.restartPolicy`;
  if (restartPolicy === "" || restartPolicy === "Always") {
    errors.push(required(at, 'valid values: "OnFailure", "Never"'));
  } else if (restartPolicy !== "OnFailure" && restartPolicy !== "Never") {
    errors.push(notSupported(at, restartPolicy, ["OnFailure", "Never"]));
  } else if (spec.podFailurePolicy !== undefined && restartPolicy !== "Never") {
    errors.push(invalidValue(at, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
}

function checkIndexed(
  errors: FieldError[],
  path: string,
  { completions, parallelism, maxFailedIndexes }: JobSpec,
): void {
  if (completions === undefined) errors.push(required(`${path}.completions`, "when completion mode is Indexed"));
  if (parallelism !== undefined && parallelism > 100_000) {
    const detail = "must be less than or equal to 100000 when completion mode is Indexed";
    errors.push(invalidValue(`${path}.parallelism`, parallelism, detail));
  }
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    errors.push(
      invalidValue(`${path}.maxFailedIndexes`, maxFailedIndexes, "must be less than or equal to completions"),
    );
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > 100_000) {
    errors.push(invalidValue(`${path}.maxFailedIndexes`, maxFailedIndexes, "must be less than or equal to 100000"));
  }
}

function checkSelected(errors: FieldError[], spec: JobSpec): void {
  checkJobSpec(errors, "spec", spec);
  const before = errors.length;
  if (spec.selector === undefined) errors.push(required("spec.selector"));
  else checkLabelSelector(errors, "spec.selector", spec.selector);
  if (spec.selector === undefined || errors.length === before)
    checkTemplateSelected(errors, spec.selector, spec.template ?? {});
}

function validateJob(object: DraftObject): FieldError[] {
  const errors = metaErrors(object, { namespaced: true, nameRule: dnsSubdomain });
  const spec = specOf<JobSpec>(object);
  checkGenerated(errors, object);
  checkSelected(errors, spec);
  const { completionMode, completions = 0 } = spec;
  if (completionMode === "Indexed" && completions > 0) {
    const { name = "" } = object.metadata;
    const last = `${name}-${completions - 1}`;
    if (dnsLabel(last).length > 0) {
      errors.push(invalidValue("metadata.name", name, `will not able to create pod with invalid DNS label: ${last}`));
    }
  }
  return errors;
}

function applyJobDefaults(spec: JobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  setDefault(spec, "parallelism", 1);
  setDefault(spec, "backoffLimit", spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1);
  setDefault(spec, "completionMode", "NonIndexed");
  setDefault(spec, "suspend", false);
  setDefault(spec, "podReplacementPolicy", spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed");
  setDefault(spec, "manualSelector", false);
}

/** What the pods of every job get, those of a CronJob's too. */
function applyPodsDefaults(spec: JobSpec): void {
  spec.template ??= {};
  applyTemplateDefaults(spec.template);
  for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
    for (const condition of onPodConditions) setDefaultText(condition, "status", "True");
  }
}

/** While a job waits for its first start, where its pods may go can still be said. */
function fixedTemplate(spec: JobSpec, mayMove: boolean): object {
  const template = structuredClone(spec.template ?? {});
  if (!mayMove) return template;
  for (const field of ["labels", "annotations"]) Reflect.deleteProperty(template.metadata ?? {}, field);
  const pod: PodSpec = template.spec ?? {};
  for (const field of ["nodeSelector", "tolerations", "schedulingGates"]) Reflect.deleteProperty(pod, field);
  if (pod.affinity !== undefined) {
    Reflect.deleteProperty(pod.affinity, "nodeAffinity");
    if (Object.keys(pod.affinity).length === 0) Reflect.deleteProperty(pod, "affinity");
  }
  return template;
}

function checkJobUpdate(errors: FieldError[], object: DraftObject, old: StoredObject): void {
  const [spec, before] = [specOf<JobSpec>(object), specOf<JobSpec>(old)];
  checkSelected(errors, spec);
  if (spec.completionMode !== "Indexed") {
    checkImmutable(errors, "spec.completions", { value: spec.completions, old: before.completions });
  } else if (
    spec.completions !== undefined &&
    spec.completions !== before.completions &&
    spec.completions !== spec.parallelism
  ) {
    errors.push(
      invalidValue("spec.completions", spec.completions, "can only be modified in tandem with spec.parallelism"),
    );
  }
  checkImmutable(errors, "spec.selector", { value: spec.selector, old: before.selector });
  const mayMove = before.suspend === true && statusOf(old).startTime === undefined;
  if (!semanticEqual(fixedTemplate(spec, mayMove), fixedTemplate(before, mayMove))) {
    errors.push(invalidValue("spec.template", spec.template, "field is immutable"));
  }
  for (const field of [
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "managedBy",
    "successPolicy",
  ] as const) {
    checkImmutable(errors, `spec.${field}`, { value: spec[field], old: before[field] });
  }
}

/** A job without labels has those of its pods. */
function takeTemplateLabels(object: DraftObject): void {
  const labels = specOf<JobSpec>(object).template?.metadata?.labels;
  if (labels === undefined || Object.keys(object.metadata.labels ?? {}).length > 0) return;
  object.metadata.labels = { ...labels };
}

/** Job of batch/v1. */
export const jobStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    const spec = draftSpec<JobSpec>(object);
    applyPodsDefaults(spec);
    applyJobDefaults(spec);
    takeTemplateLabels(object);
  },
  prepareForCreate(object, context): void {
    generateSelector(object);
    // What is stored is read with defaults: labels that the pods got just now are the job's as well.
    takeTemplateLabels(object);
    prepare.prepareForCreate(object, context);
  },
  prepareForUpdate: prepare.prepareForUpdate,
  validate: validateJob,
  validateUpdate(object, old, { subresource }): FieldError[] {
    if (subresource === "status") {
      const errors = metaUpdateErrors(object, old);
      checkJobStatus(errors, object, old);
      return errors;
    }
    const errors = validateJob(object);
    errors.push(...metaUpdateErrors(object, old));
    checkJobUpdate(errors, object, old);
    return errors;
  },
  warnings(object, old): readonly string[] {
    const ofTemplate = templateWarnings(specOf<JobSpec>(object).template, "spec.template");
    if (old === undefined) return [...hostNameWarnings(object.metadata.name, "Pod names and hostnames"), ...ofTemplate];
    return object.metadata.generation === old.metadata.generation ? [] : ofTemplate;
  },
};

interface CronJobSpec {
  schedule?: string;
  timeZone?: string;
  startingDeadlineSeconds?: number;
  concurrencyPolicy?: string;
  suspend?: boolean;
  jobTemplate?: { metadata?: object; spec?: JobSpec };
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
}

function checkTimeZone(errors: FieldError[], zone: string | undefined): void {
  const path = "spec.timeZone";
  if (zone === undefined) return;
  if (zone === "") {
    errors.push(invalidValue(path, zone, "timeZone must be nil or non-empty string"));
    return;
  }
  const isPart = (part: string): boolean =>
    /^[A-Za-z._0-9+][A-Za-z._0-9+-]{0,13}$/.test(part) && part !== "." && part !== "..";
  if (!zone.split("/").every(isPart)) {
    errors.push(invalidValue(path, zone, `unknown time zone ${zone}`));
    return;
  }
  if (zone.toLowerCase() === "local") {
    const detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    errors.push(invalidValue(path, zone, detail));
  } else if (!isTimeZone(zone)) errors.push(invalidValue(path, zone, `unknown time zone ${zone}`));
}

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    // A RangeError says that there is none.
    return false;
  }
}

function checkCronJob(errors: FieldError[], spec: CronJobSpec, old: CronJobSpec | undefined): FieldError[] {
  const { schedule = "", timeZone, concurrencyPolicy = "", jobTemplate = {} } = spec;
  if (schedule === "") errors.push(required("spec.schedule"));
  else {
    const fault = cronScheduleFault(schedule);
    if (fault !== undefined) errors.push(invalidValue("spec.schedule", schedule, fault));
    if (schedule.includes("TZ")) {
      const tolerated = old?.schedule?.includes("TZ") === true;
      if (!tolerated) {
        const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
        errors.push(invalidValue("spec.schedule", schedule, detail));
      } else if (timeZone !== undefined) {
        const detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
        errors.push(invalidValue("spec.schedule", schedule, detail));
      }
    }
  }
  checkNonNegative(errors, "spec.startingDeadlineSeconds", spec.startingDeadlineSeconds);
  if (old === undefined || old.timeZone !== timeZone) checkTimeZone(errors, timeZone);
  const policies = ["Allow", "Forbid", "Replace"];
  if (concurrencyPolicy === "") errors.push(required("spec.concurrencyPolicy"));
  else if (!policies.includes(concurrencyPolicy)) {
    errors.push(notSupported("spec.concurrencyPolicy", concurrencyPolicy, policies));
  }
  const job = jobTemplate.spec ?? {};
  checkJobSpec(errors, "spec.jobTemplate.spec", job);
  if (job.selector !== undefined) {
    errors.push(invalidValue("spec.jobTemplate.spec.selector", job.selector, "`selector` will be auto-generated"));
  }
  if (job.manualSelector === true) {
    errors.push(notSupported("spec.jobTemplate.spec.manualSelector", true, ["nil", "false"]));
  }
  checkNonNegative(errors, "spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit);
  checkNonNegative(errors, "spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit);
  return errors;
}

/** Leaves room for the time that becomes part of a job's name. */
const maxCronJobName = 52;

/** CronJob of batch/v1. */
export const cronJobStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    const spec = draftSpec<CronJobSpec>(object);
    spec.jobTemplate ??= {};
    spec.jobTemplate.metadata ??= {};
    spec.jobTemplate.spec ??= {};
    applyPodsDefaults(spec.jobTemplate.spec);
    setDefaultText(spec, "concurrencyPolicy", "Allow");
    setDefault(spec, "suspend", false);
    setDefault(spec, "successfulJobsHistoryLimit", 3);
    setDefault(spec, "failedJobsHistoryLimit", 1);
  },
  ...prepare,
  validate(object): FieldError[] {
    const errors = checkCronJob(
      metaErrors(object, { namespaced: true, nameRule: dnsSubdomain }),
      specOf(object),
      undefined,
    );
    const { name = "" } = object.metadata;
    if (Buffer.byteLength(name) > maxCronJobName) {
      errors.push(invalidValue("metadata.name", name, `must be no more than ${maxCronJobName} characters`));
    }
    return errors;
  },
  validateUpdate(object, old, { subresource }): FieldError[] {
    if (subresource === "status") return [];
    return checkCronJob(metaUpdateErrors(object, old), specOf(object), specOf(old));
  },
  warnings(object, old): readonly string[] {
    const template = specOf<CronJobSpec>(object).jobTemplate?.spec?.template;
    const ofTemplate = templateWarnings(template, "spec.jobTemplate.spec.template");
    if (old === undefined) return [...hostNameWarnings(object.metadata.name, "Pod names and hostnames"), ...ofTemplate];
    return object.metadata.generation === old.metadata.generation ? [] : ofTemplate;
  },
};
