import { type FieldError, required } from "../../failure/field-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import type { LabelSelector } from "../../registry/label-selector.ts";
import { checkImmutable, checkNonNegative } from "../field-check.ts";
import { dnsSubdomain } from "../name-rule.ts";
import type { Strategy } from "../strategy.ts";
import {
  draftSpec,
  metaErrors,
  metaUpdateErrors,
  preparesStatus,
  setDefault,
  specOf,
  statusOf,
} from "./object-kind.ts";
import { applyTemplateDefaults } from "./pod-default.ts";
import type { PodTemplate } from "./pod-shape.ts";
import { hostNameWarnings, templateWarnings } from "./pod-warning.ts";
import {
  checkCounts,
  checkRequiredSelector,
  checkRunsAlways,
  checkTemplate,
  checkTemplateSelected,
} from "./workload-check.ts";

interface ReplicaSetSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector?: LabelSelector;
  template?: PodTemplate;
}

const rules = { namespaced: true, nameRule: dnsSubdomain } as const;
const counts = {
  fields: [
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
  ],
  upTo: [
    ["fullyLabeledReplicas", "replicas", "status.replicas"],
    ["readyReplicas", "replicas", "status.replicas"],
    ["availableReplicas", "replicas", "status.replicas"],
    ["availableReplicas", "readyReplicas", "readyReplicas"],
  ],
} as const;

function warnings(
  object: DraftObject,
  old: { readonly metadata: { readonly generation?: number } } | undefined,
): readonly string[] {
  const ofTemplate = templateWarnings(specOf<ReplicaSetSpec>(object).template, "spec.template");
  if (old === undefined) return [...hostNameWarnings(object.metadata.name, "Pod names and hostnames"), ...ofTemplate];
  return object.metadata.generation === old.metadata.generation ? [] : ofTemplate;
}

function checkSpec(
  errors: FieldError[],
  { replicas, minReadySeconds, selector, template = {} }: ReplicaSetSpec,
): FieldError[] {
  checkNonNegative(errors, "spec.replicas", replicas);
  checkNonNegative(errors, "spec.minReadySeconds", minReadySeconds);
  if (checkRequiredSelector(errors, selector, { kind: "deployment", unreadable: "invalid label selector" })) {
    checkTemplateSelected(errors, selector, template);
    checkTemplate(errors, "spec.template", template);
    checkRunsAlways(errors, "spec.template", { template, kind: "ReplicaSet" });
  }
  return errors;
}

/** ReplicaSet of apps/v1. */
export const replicaSetStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    const spec = draftSpec<ReplicaSetSpec>(object);
    setDefault(spec, "replicas", 1);
    spec.template ??= {};
    applyTemplateDefaults(spec.template);
  },
  ...preparesStatus({ empty: { replicas: 0 }, generation: ["spec"] }),
  validate: (object) => checkSpec(metaErrors(object, rules), specOf(object)),
  validateUpdate(object, old, { subresource }): FieldError[] {
    const errors = metaUpdateErrors(object, old);
    if (subresource === "status") checkCounts(errors, statusOf(object), counts);
    else {
      const spec = specOf<ReplicaSetSpec>(object);
      checkSpec(errors, spec);
      checkImmutable(errors, "spec.selector", { value: spec.selector, old: specOf<ReplicaSetSpec>(old).selector });
    }
    return errors;
  },
  warnings,
};

interface ReplicationControllerSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector?: Record<string, string>;
  template?: PodTemplate;
}

function checkControllerSpec(errors: FieldError[], spec: ReplicationControllerSpec): FieldError[] {
  const { selector = {}, template } = spec;
  checkNonNegative(errors, "spec.minReadySeconds", spec.minReadySeconds);
  const isEmpty = Object.keys(selector).length === 0;
  if (isEmpty) errors.push(required("spec.selector"));
  if (spec.replicas === undefined) errors.push(required("spec.replicas"));
  else checkNonNegative(errors, "spec.replicas", spec.replicas);
  if (template === undefined) errors.push(required("spec.template"));
  else {
    if (!isEmpty) checkTemplateSelected(errors, { matchLabels: selector }, template);
    checkTemplate(errors, "spec.template", template);
    checkRunsAlways(errors, "spec.template", { template, kind: "ReplicationController" });
  }
  return errors;
}

/** ReplicationController of core/v1. */
export const replicationControllerStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    const spec = draftSpec<ReplicationControllerSpec>(object);
    setDefault(spec, "replicas", 1);
    applyTemplateDefaults(spec.template);
    const labels = spec.template?.metadata?.labels;
    if (labels === undefined) return;
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    if (Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata.labels = { ...labels };
  },
  ...preparesStatus({ empty: { replicas: 0 }, generation: ["spec"] }),
  validate: (object) => checkControllerSpec(metaErrors(object, rules), specOf(object)),
  validateUpdate(object, old, { subresource }): FieldError[] {
    const errors = metaUpdateErrors(object, old);
    if (subresource === "status") checkCounts(errors, statusOf(object), counts);
    else checkControllerSpec(errors, specOf(object));
    return errors;
  },
  warnings,
};
