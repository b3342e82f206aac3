import { compareQuantities } from "farwatch";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { copyJson } from "../../schema/plain-object.ts";
import { checkImmutable, checkOneOf } from "../field-check.ts";
import { dnsSubdomain, qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { checkNodeSelector } from "./affinity-check.ts";
import { accessModes, checkClaimSpec, volumeModes } from "./claim-check.ts";
import {
  draftSpec,
  keepField,
  metaErrors,
  metaUpdateErrors,
  preparesStatus,
  setDefault,
  setDefaultText,
  specOf,
  statusOf,
} from "./object-kind.ts";
import { applyClaimDefaults } from "./pod-default.ts";
import type { ClaimSpec, NodeSelector, ResourceList } from "./pod-shape.ts";
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
const claimRules = { namespaced: true, nameRule: dnsSubdomain } as const;
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

/** The real server shows a diff of its own types here. */
function changed(before: unknown, now: unknown): string {
  return `- ${JSON.stringify(before)}\n+ ${JSON.stringify(now)}\n`;
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
    errors.push(...validateVolume(object));
    const [spec, before] = [specOf<VolumeSpec>(object), specOf<VolumeSpec>(old)];
    if (!semanticEqual(sourceOf(spec), sourceOf(before))) {
      const diff = changed(sourceOf(before), sourceOf(spec));
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

function validateClaim(object: DraftObject): FieldError[] {
  const errors = metaErrors(object, claimRules);
  checkClaimSpec(errors, "spec", specOf(object));
  return errors;
}

function validateClaimUpdate(object: DraftObject, old: StoredObject): FieldError[] {
  const errors = [...metaUpdateErrors(object, old), ...validateClaim(object)];
  const [spec, before] = [specOf<ClaimSpec>(object), specOf<ClaimSpec>(old)];
  const comparable: ClaimSpec = copyJson(spec);
  const take = (field: "storageClassName" | "volumeAttributesClassName" | "volumeName"): void => {
    if (before[field] === undefined) Reflect.deleteProperty(comparable, field);
    else comparable[field] = before[field];
  };
  if ((before.volumeName ?? "") === "") take("volumeName");
  if (before.storageClassName === undefined) take("storageClassName");
  const storage = before.resources?.requests?.storage;
  if (statusOf(object).phase === "Bound") {
    if (comparable.resources?.requests !== undefined && storage !== undefined)
      comparable.resources.requests.storage = storage;
    take("volumeAttributesClassName");
  }
  if (!semanticEqual(comparable, before)) {
    const what =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    errors.push(forbiddenField("spec", `${what}\n${changed(before, comparable)}`));
  }
  const [newSize, oldSize] = [quantityOf(spec.resources?.requests?.storage), quantityOf(storage)];
  const capacity = statusOf(old).capacity as ResourceList | undefined;
  if (compareQuantities(newSize, oldSize) < 0 && compareQuantities(newSize, quantityOf(capacity?.storage)) <= 0) {
    errors.push(forbiddenField("spec.resources.requests.storage", "field can not be less than status.capacity"));
  }
  checkImmutable(errors, "volumeMode", { value: spec.volumeMode, old: before.volumeMode });
  return errors;
}

/** PersistentVolumeClaim of core/v1. */
export const persistentVolumeClaimStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    applyClaimDefaults(draftSpec<ClaimSpec>(object));
    const status = { ...(object.status as { phase?: string } | undefined) };
    setDefaultText(status, "phase", "Pending");
    object.status = status;
  },
  ...preparesStatus({ empty: { phase: "Pending" } }),
  validate: validateClaim,
  validateUpdate(object, old, { subresource }): FieldError[] {
    if (subresource === undefined) return validateClaimUpdate(object, old);
    return metaUpdateErrors(object, old);
  },
};

interface TopologyTerm {
  matchLabelExpressions?: { key?: string; values?: string[] }[];
}

interface StorageClassObject {
  provisioner?: string;
  allowedTopologies?: TopologyTerm[];
  parameters?: Record<string, string>;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
}

const classOf = (object: DraftObject | StoredObject): StorageClassObject => object as StorageClassObject;
const maxParameterBytes = 256 * 1_024;

function checkParameters(errors: FieldError[], parameters: Record<string, string> | undefined): void {
  const entries = Object.entries(parameters ?? {});
  if (entries.length > 512) {
    errors.push(tooLong("parameters", 512));
    return;
  }
  let bytes = 0;
  for (const [key, value] of entries) {
    if (key === "") errors.push(invalidValue("parameters", key, "field can not be empty."));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > maxParameterBytes) errors.push(tooLong("parameters", maxParameterBytes));
}

/** StorageClass of storage.k8s.io/v1. */
export const storageClassStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    setDefault(classOf(object), "reclaimPolicy", "Delete");
    setDefault(classOf(object), "volumeBindingMode", "Immediate");
  },
  validate: validateStorageClass,
  validateUpdate(object, old): FieldError[] {
    const errors = [...validateStorageClass(object), ...metaUpdateErrors(object, old)];
    const [now, before] = [classOf(object), classOf(old)];
    for (const field of ["parameters", "provisioner", "reclaimPolicy"] as const) {
      if (semanticEqual(now[field], before[field])) continue;
      errors.push(forbiddenField(field, `updates to ${field} are forbidden.`));
    }
    checkImmutable(errors, "volumeBindingMode", { value: now.volumeBindingMode, old: before.volumeBindingMode });
    return errors;
  },
};

function validateStorageClass(object: DraftObject): FieldError[] {
  const errors = metaErrors(object, volumeRules);
  const { provisioner = "", parameters, reclaimPolicy = "", volumeBindingMode } = classOf(object);
  if (provisioner === "") errors.push(required("provisioner"));
  else pushFaults(errors, "provisioner", provisioner.toLowerCase(), qualifiedName(provisioner.toLowerCase()));
  checkParameters(errors, parameters);
  if (reclaimPolicy !== "" && !["Delete", "Retain"].includes(reclaimPolicy)) {
    errors.push(notSupported("reclaimPolicy", reclaimPolicy, ["Delete", "Retain"]));
  }
  checkOneOf(errors, "volumeBindingMode", { value: volumeBindingMode, of: ["Immediate", "WaitForFirstConsumer"] });
  checkTopologies(errors, classOf(object).allowedTopologies ?? []);
  return errors;
}

function checkTopologies(errors: FieldError[], terms: readonly TopologyTerm[]): void {
  const seen: unknown[] = [];
  for (const [index, { matchLabelExpressions = [] }] of terms.entries()) {
    const path = `allowedTopologies[${index}].matchLabelExpressions`;
    const byKey = new Map<string, readonly string[]>();
    for (const [position, { key = "", values = [] }] of matchLabelExpressions.entries()) {
      const at = `${path}[${position}]`;
      if (values.length === 0) errors.push(required(`${at}.values`));
      for (const [place, value] of values.entries()) {
        if (values.indexOf(value) < place) errors.push(duplicate(`${at}.values[${place}]`, value));
      }
      pushFaults(errors, `${at}.key`, key, qualifiedName(key));
      if (byKey.has(key)) errors.push(duplicate(`${at}.key`, key));
      byKey.set(key, [...new Set(values)].sort());
    }
    const term = [...byKey].sort(([one], [other]) => (one < other ? -1 : 1));
    if (seen.some((one) => semanticEqual(one, term))) errors.push(duplicate(path, ""));
    seen.push(term);
  }
}
