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
import { checkImmutable, checkOneOf } from "../field-check.ts";
import { dnsSubdomain, qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { metaErrors, metaUpdateErrors, setDefault } from "./object-kind.ts";

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
  const errors = metaErrors(object, { namespaced: false, nameRule: dnsSubdomain });
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
