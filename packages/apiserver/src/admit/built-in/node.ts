import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { dnsSubdomain, labelValue, qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import type { Strategy } from "../strategy.ts";
import { taintEffects } from "./affinity-check.ts";
import { pushRangeErrors } from "./ip-check.ts";
import { keepField, metaErrors, metaUpdateErrors, specOf } from "./object-kind.ts";
import type { ResourceList } from "./pod-shape.ts";
import { pushAmountErrors } from "./resource-check.ts";

interface Taint {
  key?: string;
  value?: string;
  effect?: string;
  timeAdded?: string | null;
}

interface NodeSpec {
  taints?: Taint[];
  podCIDR?: string;
  podCIDRs?: string[];
  providerID?: string;
}

interface NodeStatus {
  capacity?: ResourceList;
  allocatable?: ResourceList;
  addresses?: { type?: string; address?: string }[];
}

const statusOf = (object: DraftObject | StoredObject): NodeStatus => (object.status ?? {}) as NodeStatus;

function checkTaints(errors: FieldError[], taints: readonly Taint[] | undefined): void {
  const seen = new Set<string>();
  taints?.forEach(({ key = "", value = "", effect = "", timeAdded }, index) => {
    const at = `metadata.taints[${index}]`;
    pushFaults(errors, `${at}.key`, key, qualifiedName(key));
    const faults = labelValue(value);
    if (faults.length > 0) errors.push(invalidValue(`${at}.value`, value, faults.join(";")));
    if (effect === "") errors.push(required(`${at}.effect`));
    else if (!taintEffects.includes(effect)) errors.push(notSupported(`${at}.effect`, effect, taintEffects));
    if (seen.has(`${effect}/${key}`)) {
      const printed = { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded ?? null };
      errors.push({ ...duplicate(at, printed), detail: "taints must be unique by key and effect pair" });
    }
    seen.add(`${effect}/${key}`);
  });
}

function checkResources(errors: FieldError[], object: DraftObject): void {
  for (const field of ["capacity", "allocatable"] as const) {
    for (const [name, amount] of Object.entries(statusOf(object)[field] ?? {})) {
      pushAmountErrors(errors, `status.${field}.${name}`, { name, amount });
    }
  }
}

function validate(object: DraftObject): FieldError[] {
  const errors = metaErrors(object, { namespaced: false, nameRule: dnsSubdomain });
  const { taints, podCIDRs = [] } = specOf<NodeSpec>(object);
  checkTaints(errors, taints);
  checkResources(errors, object);
  for (const [index, range] of podCIDRs.entries()) pushRangeErrors(errors, `spec.podCIDRs[${index}]`, range);
  const isV6 = (range: string | undefined): boolean => range?.includes(":") === true;
  if (podCIDRs.length > 2 || (podCIDRs.length === 2 && isV6(podCIDRs[0]) === isV6(podCIDRs[1]))) {
    errors.push(invalidValue("spec.podCIDRs", podCIDRs, "may specify no more than one CIDR for each IP family"));
  }
  return errors;
}

function validateUpdate(object: DraftObject, old: StoredObject): FieldError[] {
  const errors = metaUpdateErrors(object, old);
  checkResources(errors, object);
  const seen = new Set<string>();
  statusOf(object).addresses?.forEach((address, index) => {
    const id = JSON.stringify([address.type, address.address]);
    if (seen.has(id)) {
      const printed = { Type: address.type ?? "", Address: address.address ?? "" };
      errors.push(duplicate(`status.addresses[${index}]`, printed));
    }
    seen.add(id);
  });
  const [spec, before] = [specOf<NodeSpec>(object), specOf<NodeSpec>(old)];
  const [ranges, rangesBefore] = [spec.podCIDRs ?? [], before.podCIDRs ?? []];
  const kept = ranges.length === rangesBefore.length && rangesBefore.every((range, index) => range === ranges[index]);
  if (rangesBefore.length > 0 && !kept) {
    errors.push(forbiddenField("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'));
  }
  if ((before.providerID ?? "") !== "" && before.providerID !== spec.providerID) {
    errors.push(forbiddenField("spec.providerID", 'node updates may not change providerID except from "" to valid'));
  }
  checkTaints(errors, spec.taints);
  return errors;
}

/** podCIDR is the old name of the first of podCIDRs, and counts where they differ. */
function applyDefaults(object: DraftObject): void {
  const spec = object.spec as NodeSpec | undefined;
  if (spec !== undefined) {
    const [first] = spec.podCIDRs ?? [];
    if ((spec.podCIDR ?? "") !== "" && spec.podCIDR !== first) spec.podCIDRs = [spec.podCIDR ?? ""];
    else if ((spec.podCIDR ?? "") === "" && first !== undefined) spec.podCIDR = first;
  }
  const status = object.status as NodeStatus | undefined;
  if (status?.capacity !== undefined && status.allocatable === undefined) status.allocatable = { ...status.capacity };
}

/** Node of core/v1: a new one may bring its status. */
export const nodeStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults,
  prepareForUpdate(object, old, { subresource }): void {
    keepField(object, old, subresource === "status" ? "spec" : "status");
  },
  validate,
  validateUpdate: (object, old, { subresource }) => [
    ...(subresource === "status" ? [] : validate(object)),
    ...validateUpdate(object, old),
  ],
};
