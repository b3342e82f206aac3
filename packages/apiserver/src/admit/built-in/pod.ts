import { addErrors, type FieldError, forbiddenField, invalidValue, required } from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { copyJson } from "../../schema/plain-object.ts";
import { dnsSubdomain, rangeText } from "../name-rule.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { checkTolerations } from "./affinity-check.ts";
import { countGeneration, draftSpec, keepField, metaErrors, metaUpdateErrors, specOf } from "./object-kind.ts";
import { applyPodDefaults, applyPodSpecDefaults } from "./pod-default.ts";
import type { Container, PodSpec, Toleration } from "./pod-shape.ts";
import { checkImages, checkPodSpec } from "./pod-spec-check.ts";
import { hostNameWarnings, podSpecWarnings } from "./pod-warning.ts";
import { quantityOf } from "./resource-check.ts";

const rules = { namespaced: true, nameRule: dnsSubdomain } as const;
const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const maxInt32 = 2 ** 31 - 1;

interface PodStatus {
  phase?: string;
  qosClass?: string;
  conditions?: { type?: string; status?: string; reason?: string; message?: string; observedGeneration?: number }[];
  observedGeneration?: number;
}

/** By what its containers ask for: all limits the same as requests, none at all, or something between. */
function qosClassOf(spec: PodSpec): string {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  let isEmpty = true;
  let isGuaranteed = true;
  for (const { resources = {} } of containers) {
    const { requests = {}, limits = {} } = resources;
    for (const name of ["cpu", "memory"]) {
      const [request, limit] = [quantityOf(requests[name]), quantityOf(limits[name])];
      if (request.nano > 0n || limit.nano > 0n) isEmpty = false;
      if (limit.nano === 0n || request.nano !== limit.nano) isGuaranteed = false;
    }
  }
  if (isEmpty) return "BestEffort";
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

function checkPod(errors: FieldError[], object: DraftObject): void {
  const { annotations = {} } = object.metadata;
  const cost = Object.hasOwn(annotations, deletionCost) ? (annotations[deletionCost] ?? "") : "0";
  const isInt32 = /^(0|[1-9]\d{0,9}|-[1-9]\d{0,9})$/.test(cost) && Math.abs(Number(cost)) <= maxInt32;
  if (!isInt32) errors.push(invalidValue(`metadata.annotations[${deletionCost}]`, cost, "must be a 32bit integer"));
  const spec = specOf<PodSpec>(object);
  checkPodSpec(errors, "spec", { spec, isPod: true });
  if ((spec.serviceAccountName ?? "") === "") {
    spec.volumes?.forEach(({ projected }, index) => {
      projected?.sources?.forEach(({ serviceAccountToken }, position) => {
        if (serviceAccountToken === undefined) return;
        const field = `spec.volumes[${index}].projected.sources[${position}].serviceAccountToken`;
        errors.push(forbiddenField(field, "must not be specified when serviceAccountName is not set"));
      });
    });
  }
  checkImages(errors, "spec.containers", spec.containers);
  checkImages(errors, "spec.initContainers", spec.initContainers);
}

function validate(object: DraftObject): FieldError[] {
  const errors = metaErrors(object, rules);
  checkPod(errors, object);
  const spec = specOf<PodSpec>(object);
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbiddenField("spec.ephemeralContainers", "cannot be set on create"));
  }
  if ((spec.nodeName ?? "") !== "" && (spec.schedulingGates ?? []).length > 0) {
    errors.push(forbiddenField("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  }
  return errors;
}

/** False where the lists cannot be compared. */
function checkSameContainers(
  errors: FieldError[],
  path: string,
  { containers, old }: { readonly containers: readonly Container[]; readonly old: readonly Container[] },
): boolean {
  if (containers.length !== old.length) {
    errors.push(forbiddenField(path, "pod updates may not add or remove containers"));
    return false;
  }
  containers.forEach(({ image = "" }, index) => {
    if (image === "") errors.push(required(`${path}[${index}].image`));
  });
  checkImages(errors, path, [...containers]);
  return true;
}

/** False where nothing more is said. */
function checkDeadline(errors: FieldError[], deadline: number | undefined, old: number | undefined): boolean {
  const path = "spec.activeDeadlineSeconds";
  if (deadline === undefined) {
    if (old !== undefined)
      errors.push(invalidValue(path, null, "must not update from a positive integer to nil value"));
    return true;
  }
  if (deadline < 0 || deadline > maxInt32) errors.push(invalidValue(path, deadline, rangeText(0, maxInt32)));
  else if (old !== undefined && old < deadline) {
    errors.push(invalidValue(path, deadline, "must be less than or equal to previous value"));
  } else return true;
  return false;
}

function checkAddedTolerations(
  errors: FieldError[],
  tolerations: readonly Toleration[],
  old: readonly Toleration[],
): void {
  const same = (a: Toleration, b: Toleration): boolean =>
    semanticEqual({ ...a, tolerationSeconds: undefined }, { ...b, tolerationSeconds: undefined });
  if (!old.every((before) => tolerations.some((one) => same(one, before)))) {
    const detail = "existing toleration can not be modified except its tolerationSeconds";
    errors.push(forbiddenField("spec.tolerations", detail));
    return;
  }
  checkTolerations(errors, "spec.tolerations", tolerations);
}

const updatable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

/** The spec as it would be had only what may change been changed. */
function withOldValues(spec: PodSpec, old: PodSpec): PodSpec {
  const withImages = (
    containers: readonly Container[] | undefined,
    before: readonly Container[] | undefined,
  ): Container[] | undefined =>
    containers?.map((container, index) => {
      const { image: _image, ...rest } = container;
      const image = before?.[index]?.image;
      return image === undefined ? rest : { ...rest, image };
    });
  const { activeDeadlineSeconds: _deadline, schedulingGates: _gates, tolerations: _tolerations, ...rest } = spec;
  const next: PodSpec = { ...rest };
  for (const field of ["containers", "initContainers"] as const) {
    const containers = withImages(spec[field], old[field]);
    if (containers !== undefined) next[field] = containers;
  }
  if (old.activeDeadlineSeconds !== undefined) next.activeDeadlineSeconds = old.activeDeadlineSeconds;
  if (old.schedulingGates !== undefined) next.schedulingGates = old.schedulingGates;
  if (old.tolerations !== undefined) next.tolerations = old.tolerations;
  const grace = old.terminationGracePeriodSeconds;
  if (grace !== undefined && grace < 0 && spec.terminationGracePeriodSeconds === 1)
    next.terminationGracePeriodSeconds = grace;
  if ((old.schedulingGates ?? []).length > 0) {
    // Nobody has looked for a node yet.
    if (old.nodeSelector === undefined) Reflect.deleteProperty(next, "nodeSelector");
    else next.nodeSelector = old.nodeSelector;
  }
  return next;
}

/** The fields that differ; the real server shows a diff of its own types here. */
function differingFields(spec: PodSpec, old: PodSpec): string {
  const [a, b] = [spec as Readonly<Record<string, unknown>>, old as Readonly<Record<string, unknown>>];
  const fields = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (field) => !semanticEqual(a[field], b[field]),
  );
  const text = (value: unknown): string => JSON.stringify(value ?? null);
  return fields.map((field) => `- ${field}: ${text(b[field])}\n+ ${field}: ${text(a[field])}\n`).join("");
}

function validateUpdate(object: DraftObject, old: StoredObject): FieldError[] {
  const errors = metaUpdateErrors(object, old);
  addErrors(errors, metaErrors(object, rules));
  checkPod(errors, object);
  const [spec, before] = [specOf<PodSpec>(object), specOf<PodSpec>(old)];
  for (const field of ["containers", "initContainers"] as const) {
    const containers = spec[field] ?? [];
    if (!checkSameContainers(errors, `spec.${field}`, { containers, old: before[field] ?? [] })) return errors;
  }
  if (!checkDeadline(errors, spec.activeDeadlineSeconds, before.activeDeadlineSeconds)) return errors;
  checkAddedTolerations(errors, spec.tolerations ?? [], before.tolerations ?? []);
  const gates = new Set((before.schedulingGates ?? []).map(({ name = "" }) => name));
  spec.schedulingGates?.forEach(({ name = "" }, index) => {
    if (gates.has(name)) return;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    errors.push(forbiddenField(`spec.schedulingGates[${index}].name`, detail));
  });
  const comparable = withOldValues(spec, before);
  if (!semanticEqual(comparable, before)) {
    const diff = differingFields(comparable, before);
    errors.push(forbiddenField("spec", `pod updates may not change fields other than ${updatable}\n${diff}`));
  }
  return errors;
}

function validateStatus(object: DraftObject, old: StoredObject): FieldError[] {
  const errors = metaUpdateErrors(object, old);
  const nominated = (object.status as { nominatedNodeName?: string } | undefined)?.nominatedNodeName ?? "";
  if (nominated !== "" && dnsSubdomain(nominated).length > 0) {
    for (const fault of dnsSubdomain(nominated))
      errors.push(invalidValue("status.nominatedNodeName", nominated, fault));
  }
  return errors;
}

/** What a writer of a status leaves out of it keeps its value. */
function keepObserved(object: DraftObject, old: StoredObject): void {
  const status = { ...(object.status as PodStatus | undefined) };
  const before = (old.status ?? {}) as PodStatus;
  if ((status.qosClass ?? "") === "" && before.qosClass !== undefined) status.qosClass = before.qosClass;
  if ((status.observedGeneration ?? 0) === 0 && before.observedGeneration !== undefined) {
    status.observedGeneration = before.observedGeneration;
  }
  if (status.conditions !== undefined) {
    status.conditions = status.conditions.map((condition) => {
      const known = before.conditions?.find(({ type }) => type === condition.type)?.observedGeneration;
      if ((condition.observedGeneration ?? 0) !== 0 || known === undefined) return condition;
      return { ...condition, observedGeneration: known };
    });
  }
  object.status = status;
}

interface PodAddresses {
  podIP?: string;
  podIPs?: { ip?: string }[];
}

/** podIP is the old name of the first of podIPs, and counts where they differ. */
function applyAddresses(status: PodAddresses | undefined): void {
  if (status === undefined) return;
  const { podIP = "", podIPs: [first] = [] } = status;
  if (podIP !== "" && podIP !== first?.ip) status.podIPs = [{ ip: podIP }];
  else if (podIP === "" && (first?.ip ?? "") !== "") status.podIP = first?.ip ?? "";
}

/** Pod of core/v1. */
export const podStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    const spec = draftSpec<PodSpec>(object);
    applyPodSpecDefaults(spec);
    applyPodDefaults(spec);
    applyAddresses(object.status as PodAddresses | undefined);
  },
  prepareForCreate(object): void {
    const spec = draftSpec<PodSpec>(object);
    object.metadata.generation = 1;
    const status: PodStatus = { phase: "Pending", qosClass: qosClassOf(spec) };
    if ((spec.schedulingGates ?? []).length > 0) {
      const message = "Scheduling is blocked due to non-empty scheduling gates";
      status.conditions = [{ type: "PodScheduled", status: "False", reason: "SchedulingGated", message }];
    }
    object.status = status;
  },
  prepareForUpdate(object, old, { subresource }): void {
    if (subresource === "status") {
      keepField(object, old, "spec");
      Reflect.deleteProperty(object.metadata, "deletionTimestamp");
      if (old.metadata.ownerReferences === undefined) Reflect.deleteProperty(object.metadata, "ownerReferences");
      else object.metadata.ownerReferences = copyJson(old.metadata.ownerReferences);
      keepObserved(object, old);
      return;
    }
    keepField(object, old, "status");
    countGeneration(object, old, "spec");
  },
  validate,
  validateUpdate: (object, old, { subresource }) =>
    subresource === "status" ? validateStatus(object, old) : validateUpdate(object, old),
  warnings(object, old): readonly string[] {
    if (old !== undefined) return [];
    const spec = specOf<PodSpec>(object);
    return [...hostNameWarnings(object.metadata.name, "the Pod's hostname"), ...podSpecWarnings(spec, "spec")];
  },
};
