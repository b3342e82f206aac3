import { addErrors, type FieldError, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import type { LabelSelector } from "../../registry/label-selector.ts";
import { copyJson } from "../../schema/plain-object.ts";
import { checkImmutable, checkLabelSelector, checkNonNegative } from "../field-check.ts";
import { dnsLabel, dnsSubdomain } from "../name-rule.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { checkFailurePolicy, type FailurePolicy } from "./job-failure-policy.ts";
import { checkGenerated, generateSelector } from "./job-selector.ts";
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
  podFailurePolicy?: FailurePolicy;
  successPolicy?: object;
  managedBy?: string;
  manualSelector?: boolean;
  selector?: LabelSelector & { matchLabels?: Record<string, string> };
  template?: PodTemplate;
}

const prepare = preparesStatus({ empty: {}, generation: ["spec"] });

/** The spec of a job or of the jobs of a CronJob, the selector aside. */
export function checkJobSpec(errors: FieldError[], path: string, spec: JobSpec): void {
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
  if (spec.podFailurePolicy !== undefined) {
    const [pod, perIndex] = [spec.template?.spec ?? {}, spec.backoffLimitPerIndex !== undefined];
    checkFailurePolicy(errors, `${path}.podFailurePolicy`, { policy: spec.podFailurePolicy, pod, perIndex });
  }
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
export function applyPodsDefaults(spec: JobSpec): void {
  spec.template ??= {};
  applyTemplateDefaults(spec.template);
  for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
    for (const condition of onPodConditions) setDefaultText(condition, "status", "True");
  }
}

/** While a job waits for its first start, where its pods may go can still be said. */
function fixedTemplate(spec: JobSpec, mayMove: boolean): object {
  const template = copyJson(spec.template ?? {});
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
    addErrors(errors, metaUpdateErrors(object, old));
    checkJobUpdate(errors, object, old);
    return errors;
  },
  warnings(object, old): readonly string[] {
    const ofTemplate = templateWarnings(specOf<JobSpec>(object).template, "spec.template");
    if (old === undefined) return [...hostNameWarnings(object.metadata.name, "Pod names and hostnames"), ...ofTemplate];
    return object.metadata.generation === old.metadata.generation ? [] : ofTemplate;
  },
};
