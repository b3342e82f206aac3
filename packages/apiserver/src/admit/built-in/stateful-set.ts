import {
  addErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../failure/field-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import type { LabelSelector } from "../../registry/label-selector.ts";
import { checkImmutable, checkNonNegative, type IntOrString } from "../field-check.ts";
import { dnsLabel, dnsSubdomain } from "../name-rule.ts";
import { pushAnnotationErrors, pushFaults, pushLabelErrors } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { checkClaimSpec } from "./claim-check.ts";
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
import { applyClaimDefaults, applyTemplateDefaults } from "./pod-default.ts";
import type { ClaimSpec, PodTemplate } from "./pod-shape.ts";
import { templateWarnings } from "./pod-warning.ts";
import {
  amountOf,
  checkAmountOrPercent,
  checkAtMost100Percent,
  checkCollisions,
  checkCounts,
  checkRequiredSelector,
  checkTemplate,
  checkTemplateSelected,
} from "./workload-check.ts";

interface StatefulSetSpec {
  replicas?: number;
  selector?: LabelSelector;
  template?: PodTemplate;
  volumeClaimTemplates?: {
    kind?: string;
    apiVersion?: string;
    metadata?: { name?: string };
    spec?: ClaimSpec;
    status?: { phase?: string };
  }[];
  serviceName?: string;
  podManagementPolicy?: string;
  updateStrategy?: { type?: string; rollingUpdate?: { partition?: number; maxUnavailable?: IntOrString } };
  revisionHistoryLimit?: number;
  minReadySeconds?: number;
  ordinals?: { start?: number };
  persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
}

function applyDefaults(object: DraftObject): void {
  const spec = draftSpec<StatefulSetSpec>(object);
  spec.template ??= {};
  applyTemplateDefaults(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) {
    setDefaultText(claim, "kind", "PersistentVolumeClaim");
    setDefaultText(claim, "apiVersion", "v1");
    claim.metadata ??= {};
    claim.spec ??= {};
    applyClaimDefaults(claim.spec);
    claim.status ??= {};
    setDefaultText(claim.status, "phase", "Pending");
  }
  setDefaultText(spec, "podManagementPolicy", "OrderedReady");
  spec.updateStrategy ??= {};
  const { updateStrategy } = spec;
  if ((updateStrategy.type ?? "") === "") {
    updateStrategy.type = "RollingUpdate";
    updateStrategy.rollingUpdate ??= {};
  }
  if (updateStrategy.type === "RollingUpdate" && updateStrategy.rollingUpdate !== undefined) {
    setDefault(updateStrategy.rollingUpdate, "partition", 0);
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  setDefaultText(spec.persistentVolumeClaimRetentionPolicy, "whenDeleted", "Retain");
  setDefaultText(spec.persistentVolumeClaimRetentionPolicy, "whenScaled", "Retain");
  setDefault(spec, "replicas", 1);
  setDefault(spec, "revisionHistoryLimit", 10);
}

function checkUpdateStrategy(
  errors: FieldError[],
  { type = "", rollingUpdate }: NonNullable<StatefulSetSpec["updateStrategy"]>,
): void {
  const path = "spec.updateStrategy";
  const printed =
    rollingUpdate === undefined
      ? null
      : { Partition: rollingUpdate.partition ?? 0, MaxUnavailable: rollingUpdate.maxUnavailable ?? null };
  if (type === "") errors.push(required(path));
  else if (type === "OnDelete") {
    if (rollingUpdate === undefined) return;
    errors.push(invalidValue(`${path}.rollingUpdate`, printed, "only allowed for updateStrategy 'RollingUpdate'"));
  } else if (type !== "RollingUpdate") {
    errors.push(invalidValue(path, { Type: type, RollingUpdate: printed }, "must be 'RollingUpdate' or 'OnDelete'"));
  } else if (rollingUpdate !== undefined) {
    const { partition, maxUnavailable } = rollingUpdate;
    checkNonNegative(errors, `${path}.rollingUpdate.partition`, partition);
    if (maxUnavailable === undefined) return;
    const at = `${path}.rollingUpdate.maxUnavailable`;
    checkAmountOrPercent(errors, at, maxUnavailable);
    if (amountOf(maxUnavailable) === 0) errors.push(invalidValue(at, maxUnavailable, "cannot be 0"));
    checkAtMost100Percent(errors, at, maxUnavailable);
  }
}

/** The template as its pods will have it: with a volume a claim, and names that the controller gives. */
function templateWithClaims({ template = {}, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplate {
  const names = volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? "");
  const volumes = [
    ...[...new Set(names)].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...(template.spec?.volumes ?? []).filter(({ name = "" }) => !names.includes(name)),
  ];
  return {
    ...template,
    spec: { ...template.spec, subdomain: "", hostname: "", ...(names.length > 0 ? { volumes } : {}) },
  };
}

function checkSpec(errors: FieldError[], spec: StatefulSetSpec, isNew: boolean): FieldError[] {
  const { podManagementPolicy = "", persistentVolumeClaimRetentionPolicy: retention, template = {} } = spec;
  if (podManagementPolicy === "") errors.push(required("spec.podManagementPolicy"));
  else if (podManagementPolicy !== "OrderedReady" && podManagementPolicy !== "Parallel") {
    errors.push(invalidValue("spec.podManagementPolicy", podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"));
  }
  checkUpdateStrategy(errors, spec.updateStrategy ?? {});
  if (retention !== undefined) {
    for (const field of ["whenDeleted", "whenScaled"] as const) {
      const policy = retention[field] ?? "";
      if (policy === "Retain" || policy === "Delete") continue;
      errors.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, policy, ["Retain", "Delete"]));
    }
  }
  if (isNew) {
    spec.volumeClaimTemplates?.forEach((claim, index) => {
      checkClaimSpec(errors, `spec.volumeClaimTemplates[${index}].spec`, claim.spec ?? {});
    });
  }
  checkNonNegative(errors, "spec.replicas", spec.replicas);
  checkNonNegative(errors, "spec.minReadySeconds", spec.minReadySeconds);
  checkNonNegative(errors, "spec.ordinals.start", spec.ordinals?.start);
  const { serviceName = "", selector } = spec;
  if (isNew && serviceName !== "") pushFaults(errors, "spec.serviceName", serviceName, dnsLabel(serviceName));
  if (checkRequiredSelector(errors, selector, { kind: "statefulset", unreadable: "" })) {
    checkTemplateSelected(errors, selector, template);
    checkTemplate(errors, "spec.template", templateWithClaims(spec));
    pushLabelErrors(errors, template.metadata?.labels, "spec.template.labels");
    pushAnnotationErrors(errors, template.metadata?.annotations, "spec.template.annotations");
  }
  const { restartPolicy = "", activeDeadlineSeconds } = template.spec ?? {};
  if (restartPolicy !== "Always") {
    errors.push(notSupported("spec.template.spec.restartPolicy", restartPolicy, ["Always"]));
  }
  if (activeDeadlineSeconds !== undefined) {
    const detail = "activeDeadlineSeconds in StatefulSet is not Supported";
    errors.push(forbiddenField("spec.template.spec.activeDeadlineSeconds", detail));
  }
  return errors;
}

const mutableFields = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
] as const;
const immutableText =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/** The fields that stay as they were created. */
function fixed(spec: StatefulSetSpec): object {
  const rest: StatefulSetSpec = { ...spec };
  for (const field of mutableFields) Reflect.deleteProperty(rest, field);
  return rest;
}

const counts = {
  fields: [
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
  ],
  upTo: [
    ["readyReplicas", "replicas", "status.replicas"],
    ["currentReplicas", "replicas", "status.replicas"],
    ["updatedReplicas", "replicas", "status.replicas"],
    ["availableReplicas", "replicas", "status.replicas"],
    ["availableReplicas", "readyReplicas", "status.readyReplicas"],
  ],
} as const;

/** StatefulSet of apps/v1. */
export const statefulSetStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults,
  ...preparesStatus({ empty: { replicas: 0, availableReplicas: 0 }, generation: ["spec"] }),
  validate: (object) => checkSpec(metaErrors(object, { namespaced: true, nameRule: dnsLabel }), specOf(object), true),
  validateUpdate(object, old, { subresource }): FieldError[] {
    if (subresource === "status") {
      const errors: FieldError[] = [];
      checkCounts(errors, statusOf(object), counts);
      addErrors(errors, metaUpdateErrors(object, old));
      checkCollisions(errors, statusOf(object), statusOf(old));
      return errors;
    }
    const errors = checkSpec(metaUpdateErrors(object, old), specOf(object), false);
    if (!semanticEqual(fixed(specOf(object)), fixed(specOf(old)))) errors.push(forbiddenField("spec", immutableText));
    return errors;
  },
  warnings(object, old): readonly string[] {
    const spec = specOf<StatefulSetSpec>(object);
    const changed = old === undefined || object.metadata.generation !== old.metadata.generation;
    const negative =
      "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";
    return [
      ...(changed ? templateWarnings(spec.template, "spec.template") : []),
      ...((spec.revisionHistoryLimit ?? 0) < 0 ? [negative] : []),
    ];
  },
};

function checkRevision(object: DraftObject): FieldError[] {
  const errors = metaErrors(object, { namespaced: true, nameRule: dnsSubdomain });
  checkNonNegative(errors, "revision", object.revision as number | undefined);
  return errors;
}

/** ControllerRevision of apps/v1. */
export const controllerRevisionStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  validate(object): FieldError[] {
    const errors = checkRevision(object);
    const { data } = object;
    if (data === undefined || data === null) errors.push(required("data", "data is mandatory"));
    else if (typeof data !== "object" || Array.isArray(data)) {
      errors.push(required("data", "data must be a valid JSON object"));
    }
    return errors;
  },
  validateUpdate(object, old): FieldError[] {
    const errors = [...metaUpdateErrors(object, old), ...checkRevision(object)];
    checkImmutable(errors, "data", { value: object.data, old: old.data });
    return errors;
  },
};
