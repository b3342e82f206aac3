import {
  addErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../failure/field-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import { checkImmutable } from "../field-check.ts";
import { dnsSubdomain } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { checkNodeSelector } from "./affinity-check.ts";
import { changedText } from "./changed-text.ts";
import { accessModes, volumeModes } from "./claim-check.ts";
import {
  draftSpec,
  keepField,
  metaErrors,
  metaUpdateErrors,
  setDefault,
  setDefaultText,
  specOf,
  statusOf,
} from "./object-kind.ts";
import type { NodeSelector, ResourceList } from "./pod-shape.ts";
import { pushAmountErrors, quantityOf } from "./resource-check.ts";
import { checkVolumeSource, volumeSources } from "./volume-check.ts";

interface VolumeSpec {
  accessModes?: string[];
  capacity?: ResourceList;
  persistentVolumeReclaimPolicy?: string;
  volumeMode?: string;
  storageClassName?: string;
  volumeAttributesClassName?: string;
  nodeAffinity?: { required?: NodeSelector };
  hostPath?: { path?: string; type?: string };
  csi?: { driver?: string; volumeHandle?: string };
  local?: { path?: string };
}

const volumeRules = { namespaced: false, nameRule: dnsSubdomain } as const;
const reclaimPolicies = ["Delete", "Recycle", "Retain"];

function checkCapacity(errors: FieldError[], capacity: ResourceList | undefined): void {
  const names = Object.keys(capacity ?? {});
  if (names.length === 0) errors.push(required("spec.capacity"));
  if (names.length !== 1 || names[0] !== "storage") {
    errors.push(notSupported("spec.capacity", capacity ?? null, ["storage"]));
  }
  for (const [name, amount] of Object.entries(capacity ?? {})) {
    const at = `spec.capacity[${name}]`;
    pushAmountErrors(errors, at, { name, amount });
    if (quantityOf(amount).nano <= 0n) errors.push(invalidValue(at, amount, "must be greater than zero"));
  }
}

function validateVolume(object: DraftObject): FieldError[] {
  const errors = metaErrors(object, volumeRules);
  const spec = specOf<VolumeSpec>(object);
  const { accessModes: modes = [], persistentVolumeReclaimPolicy: reclaim = "", nodeAffinity } = spec;
  if (modes.length === 0) errors.push(required("spec.accessModes"));
  for (const mode of modes) {
    if (!accessModes.includes(mode)) errors.push(notSupported("spec.accessModes", mode, accessModes));
  }
  if (modes.includes("ReadWriteOncePod") && modes.length > 1) {
    errors.push(forbiddenField("spec.accessModes", "may not use ReadWriteOncePod with other access modes"));
  }
  checkCapacity(errors, spec.capacity);
  if (reclaim !== "" && !reclaimPolicies.includes(reclaim)) {
    errors.push(notSupported("spec.persistentVolumeReclaimPolicy", reclaim, reclaimPolicies));
  }
  if (nodeAffinity?.required !== undefined)
    checkNodeSelector(errors, "spec.nodeAffinity.required", nodeAffinity.required);
  else if (nodeAffinity !== undefined) {
    errors.push(required("spec.nodeAffinity.required", "must specify required node constraints"));
  }
  checkVolumeSource(errors, "spec", { source: spec, ofPersistentVolume: true });
  if (spec.local !== undefined && nodeAffinity === undefined) {
    errors.push(required("spec.nodeAffinity", "Local volume requires node affinity"));
  }
  const { storageClassName = "", volumeMode, hostPath } = spec;
  if (hostPath?.path === "/" && reclaim === "Recycle") {
    errors.push(
      forbiddenField("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'"),
    );
  }
  if (storageClassName !== "")
    pushFaults(errors, "spec.storageClassName", storageClassName, dnsSubdomain(storageClassName));
  if (volumeMode !== undefined && !volumeModes.includes(volumeMode)) {
    errors.push(notSupported("spec.volumeMode", volumeMode, volumeModes));
  }
  return errors;
}

function sourceOf(spec: VolumeSpec): object {
  const fields = spec as Readonly<Record<string, unknown>>;
  return Object.fromEntries([...volumeSources, "local"].map((field) => [field, fields[field]]));
}

/** PersistentVolume of core/v1. */
export const persistentVolumeStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    const spec = draftSpec<VolumeSpec>(object);
    setDefaultText(spec, "persistentVolumeReclaimPolicy", "Retain");
    setDefault(spec, "volumeMode", "Filesystem");
    if (spec.hostPath !== undefined) setDefault(spec.hostPath, "type", "");
    const status = { ...(object.status as { phase?: string } | undefined) };
    setDefaultText(status, "phase", "Pending");
    object.status = status;
  },
  prepareForCreate(object, { now }): void {
    object.status = { phase: "Pending", lastPhaseTransitionTime: now };
  },
  prepareForUpdate(object, old, { subresource, now }): void {
    if (subresource !== "status") {
      keepField(object, old, "status");
      return;
    }
    keepField(object, old, "spec");
    const before = statusOf(old);
    const status = { ...statusOf(object) };
    if (status.phase !== before.phase && status.lastPhaseTransitionTime === before.lastPhaseTransitionTime) {
      status.lastPhaseTransitionTime = now;
    } else if (
      status.phase === before.phase &&
      status.lastPhaseTransitionTime === undefined &&
      before.lastPhaseTransitionTime !== undefined
    ) {
      status.lastPhaseTransitionTime = before.lastPhaseTransitionTime;
    }
    object.status = status;
  },
  validate: validateVolume,
  validateUpdate(object, old, { subresource }): FieldError[] {
    if (subresource === "status") return metaUpdateErrors(object, old);
    const errors = validateVolume(object);
    // The real server judges an update by these rules twice.
    addErrors(errors, validateVolume(object));
    const [spec, before] = [specOf<VolumeSpec>(object), specOf<VolumeSpec>(old)];
    if (!semanticEqual(sourceOf(spec), sourceOf(before))) {
      const diff = changedText(sourceOf(before), sourceOf(spec));
      const detail = `spec.persistentvolumesource is immutable after creation\n${diff}`;
      errors.push(forbiddenField("spec.persistentvolumesource", detail));
    }
    checkImmutable(errors, "volumeMode", { value: spec.volumeMode, old: before.volumeMode });
    if (before.nodeAffinity !== undefined) {
      checkImmutable(errors, "nodeAffinity", { value: spec.nodeAffinity, old: before.nodeAffinity });
    }
    return errors;
  },
};
