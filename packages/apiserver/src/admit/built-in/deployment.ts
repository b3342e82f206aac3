import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import type { LabelSelector } from "../../registry/label-selector.ts";
import { checkImmutable, checkNonNegative, type IntOrString } from "../field-check.ts";
import { dnsSubdomain } from "../name-rule.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import {
  countGeneration,
  draftSpec,
  keepField,
  metaErrors,
  metaUpdateErrors,
  setDefault,
  setDefaultText,
  specOf,
  statusOf,
} from "./object-kind.ts";
import { applyTemplateDefaults } from "./pod-default.ts";
import type { PodTemplate } from "./pod-shape.ts";
import { hostNameWarnings, templateWarnings } from "./pod-warning.ts";
import {
  amountOf,
  checkAmountOrPercent,
  checkAtMost100Percent,
  checkCollisions,
  checkCounts,
  checkRequiredSelector,
  checkRunsAlways,
  checkTemplate,
  checkTemplateSelected,
} from "./workload-check.ts";

interface RollingUpdate {
  maxUnavailable?: IntOrString;
  maxSurge?: IntOrString;
}

interface DeploymentSpec {
  replicas?: number;
  selector?: LabelSelector;
  template?: PodTemplate;
  strategy?: { type?: string; rollingUpdate?: RollingUpdate };
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  progressDeadlineSeconds?: number;
}

function applyDefaults(object: DraftObject): void {
  const spec = draftSpec<DeploymentSpec>(object);
  setDefault(spec, "replicas", 1);
  applyTemplateDefaults(spec.template);
  setDefault(spec, "strategy", {});
  const strategy = spec.strategy ?? {};
  setDefaultText(strategy, "type", "RollingUpdate");
  if (strategy.type === "RollingUpdate") {
    strategy.rollingUpdate ??= {};
    setDefault(strategy.rollingUpdate, "maxUnavailable", "25%");
    setDefault(strategy.rollingUpdate, "maxSurge", "25%");
  }
  setDefault(spec, "revisionHistoryLimit", 10);
  setDefault(spec, "progressDeadlineSeconds", 600);
}

function checkStrategy(errors: FieldError[], strategy: NonNullable<DeploymentSpec["strategy"]>): void {
  const path = "spec.strategy";
  const { type = "", rollingUpdate } = strategy;
  if (type === "Recreate") {
    if (rollingUpdate === undefined) return;
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    errors.push(forbiddenField(`${path}.rollingUpdate`, detail));
  } else if (type === "RollingUpdate") {
    if (rollingUpdate === undefined) {
      errors.push(required(`${path}.rollingUpdate`, "this should be defaulted and never be nil"));
      return;
    }
    const { maxUnavailable, maxSurge } = rollingUpdate;
    checkAmountOrPercent(errors, `${path}.rollingUpdate.maxUnavailable`, maxUnavailable);
    checkAmountOrPercent(errors, `${path}.rollingUpdate.maxSurge`, maxSurge);
    if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
      const detail = "may not be 0 when `maxSurge` is 0";
      errors.push(invalidValue(`${path}.rollingUpdate.maxUnavailable`, maxUnavailable ?? 0, detail));
    }
    checkAtMost100Percent(errors, `${path}.rollingUpdate.maxUnavailable`, maxUnavailable);
  } else {
    const printed = {
      Type: type,
      RollingUpdate:
        rollingUpdate === undefined
          ? null
          : { MaxUnavailable: rollingUpdate.maxUnavailable ?? 0, MaxSurge: rollingUpdate.maxSurge ?? 0 },
    };
    errors.push(notSupported(path, printed, ["Recreate", "RollingUpdate"]));
  }
}

function checkSpec(errors: FieldError[], spec: DeploymentSpec): FieldError[] {
  const { template = {}, selector, minReadySeconds = 0, progressDeadlineSeconds } = spec;
  checkNonNegative(errors, "spec.replicas", spec.replicas);
  if (checkRequiredSelector(errors, selector, { kind: "deployment", unreadable: "invalid label selector" })) {
    checkTemplateSelected(errors, selector, template);
    checkTemplate(errors, "spec.template", template);
    checkRunsAlways(errors, "spec.template", { template, kind: "ReplicaSet" });
  }
  checkStrategy(errors, spec.strategy ?? {});
  checkNonNegative(errors, "spec.minReadySeconds", minReadySeconds);
  checkNonNegative(errors, "spec.revisionHistoryLimit", spec.revisionHistoryLimit);
  checkNonNegative(errors, "spec.progressDeadlineSeconds", progressDeadlineSeconds);
  if (progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds) {
    const detail = "must be greater than minReadySeconds";
    errors.push(invalidValue("spec.progressDeadlineSeconds", progressDeadlineSeconds, detail));
  }
  return errors;
}

const counts = {
  fields: [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
  ],
  upTo: [
    ["updatedReplicas", "replicas", "status.replicas"],
    ["readyReplicas", "replicas", "status.replicas"],
    ["availableReplicas", "replicas", "status.replicas"],
    ["availableReplicas", "readyReplicas", "readyReplicas"],
  ],
} as const;

/** Deployment of apps/v1. */
export const deploymentStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults,
  prepareForCreate(object): void {
    object.status = {};
    object.metadata.generation = 1;
  },
  prepareForUpdate(object, old, { subresource }): void {
    if (subresource === "status") {
      keepField(object, old, "spec");
      keepLabels(object, old);
      return;
    }
    keepField(object, old, "status");
    countGeneration(object, old, "spec");
    // Annotations are copied to replica sets, so they count as well.
    if (!semanticEqual(object.metadata.annotations ?? {}, old.metadata.annotations ?? {})) {
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
  },
  validate: (object) => checkSpec(metaErrors(object, { namespaced: true, nameRule: dnsSubdomain }), specOf(object)),
  validateUpdate(object, old, { subresource }): FieldError[] {
    const errors = metaUpdateErrors(object, old);
    if (subresource === "status") {
      checkCounts(errors, statusOf(object), counts);
      checkCollisions(errors, statusOf(object), statusOf(old));
      return errors;
    }
    const spec = specOf<DeploymentSpec>(object);
    checkSpec(errors, spec);
    checkImmutable(errors, "spec.selector", { value: spec.selector, old: specOf<DeploymentSpec>(old).selector });
    return errors;
  },
  warnings(object, old): readonly string[] {
    const ofTemplate = templateWarnings(specOf<DeploymentSpec>(object).template, "spec.template");
    if (old === undefined) return [...hostNameWarnings(object.metadata.name, "Pod names and hostnames"), ...ofTemplate];
    return object.metadata.generation === old.metadata.generation ? [] : ofTemplate;
  },
};

/** Labels are not part of a status. */
function keepLabels(
  { metadata }: DraftObject,
  old: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } },
): void {
  if (old.metadata.labels === undefined) Reflect.deleteProperty(metadata, "labels");
  else metadata.labels = { ...old.metadata.labels };
}
