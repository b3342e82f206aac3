import { compareQuantities, formatQuantity, parseQuantity, type Quantity } from "farwatch";
import { type FieldError, invalidValue, required } from "../../failure/field-error.ts";
import { negativeText } from "../field-check.ts";
import { qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import type { ResourceList, ResourceRequirements } from "./pod-shape.ts";

const containerResources = new Set(["cpu", "memory", "ephemeral-storage"]);
const counted = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const quotaResources = new Set([
  ...counted,
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
]);
const standardResources = new Set([...quotaResources, "storage"]);
const integerResources: ReadonlySet<string> = new Set(counted);

const isHugePage = (name: string): boolean => name.startsWith("hugepages-");
const isNative = (name: string): boolean => !name.includes("/") || name.includes("kubernetes.io/");

/** A device or the like that a vendor names. */
function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith("requests.")) return false;
  return qualifiedName(`requests.${name}`).length === 0;
}

/** The amount that a text says; what is none is refused before admission, and counts as zero here. */
export function quantityOf(text: string | number | undefined): Quantity {
  return parseQuantity(String(text ?? "0")) ?? { nano: 0n, format: "DecimalSI" };
}

/** The name of a resource: a standard one, or one with a prefix. */
export function pushResourceNameErrors(errors: FieldError[], path: string, name: string): void {
  const faults = qualifiedName(name);
  pushFaults(errors, path, name, faults);
  if (faults.length > 0 || name.includes("/")) return;
  if (standardResources.has(name) || isHugePage(name) || name.startsWith("requests.hugepages-")) return;
  errors.push(invalidValue(path, name, "must be a standard resource type or fully qualified"));
}

/** The name of a resource that a container, or a limit on containers, may have. */
export function pushContainerResourceNameErrors(errors: FieldError[], path: string, name: string): void {
  pushResourceNameErrors(errors, path, name);
  if (!name.includes("/")) {
    if (containerResources.has(name) || isHugePage(name)) return;
    errors.push(invalidValue(path, name, "must be a standard resource for containers"));
  } else if (!isNative(name) && !isExtended(name)) {
    errors.push(invalidValue(path, name, "doesn't follow extended resource name standard"));
  }
}

/** The name of what a quota may limit. */
export function pushQuotaResourceNameErrors(errors: FieldError[], path: string, name: string): void {
  pushResourceNameErrors(errors, path, name);
  if (name.includes("/") || quotaResources.has(name)) return;
  if (isHugePage(name) || name.startsWith("requests.hugepages-")) return;
  errors.push(invalidValue(path, name, "must be a standard resource for quota"));
}

/** An amount of a resource: not negative, and whole where it is counted. */
export function pushAmountErrors(
  errors: FieldError[],
  path: string,
  { name, amount }: { name: string; amount: string },
): void {
  const quantity = quantityOf(amount);
  if (quantity.nano < 0n) errors.push(invalidValue(path, formatQuantity(quantity), negativeText));
  if ((integerResources.has(name) || isExtended(name)) && quantity.nano % 1_000_000_000n !== 0n) {
    errors.push(invalidValue(path, formatQuantity(quantity), "must be an integer"));
  }
}

/** requests and limits of a container. */
export function checkResources(errors: FieldError[], path: string, resources: ResourceRequirements | undefined): void {
  const limits: ResourceList = resources?.limits ?? {};
  const requests: ResourceList = resources?.requests ?? {};
  for (const [field, list] of [
    ["limits", limits],
    ["requests", requests],
  ] as const) {
    for (const [name, amount] of Object.entries(list)) {
      const at = `${path}.${field}[${name}]`;
      pushContainerResourceNameErrors(errors, at, name);
      pushAmountErrors(errors, at, { name, amount });
      if (field === "requests")
        checkRequest(errors, path, { name, amount, limit: Object.hasOwn(limits, name) ? limits[name] : undefined });
      if (isHugePage(name)) checkHugePages(errors, at, { name, amount });
    }
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePage) && !names.includes("cpu") && !names.includes("memory")) {
    errors.push({ type: "Forbidden", field: path, detail: "HugePages require cpu or memory" });
  }
}

function checkRequest(
  errors: FieldError[],
  path: string,
  { name, amount, limit }: { readonly name: string; readonly amount: string; readonly limit: string | undefined },
): void {
  const mayOvercommit = isNative(name) && !isHugePage(name);
  if (limit === undefined) {
    if (!mayOvercommit) errors.push(required(`${path}.limits`, "Limit must be set for non overcommitable resources"));
    return;
  }
  const [asked, most] = [quantityOf(amount), quantityOf(limit)];
  const order = compareQuantities(asked, most);
  if (order === 0 || (order < 0 && mayOvercommit)) return;
  const relation = mayOvercommit ? "less than or equal" : "equal";
  const detail = `must be ${relation} to ${name} limit of ${formatQuantity(most)}`;
  errors.push(invalidValue(`${path}.requests`, formatQuantity(asked), detail));
}

function checkHugePages(errors: FieldError[], path: string, { name, amount }: { name: string; amount: string }): void {
  const size = quantityOf(name.slice("hugepages-".length)).nano;
  const quantity = quantityOf(amount);
  if (size > 0n && size % 1_000_000_000n === 0n && quantity.nano % size === 0n) return;
  const text = formatQuantity(quantity);
  errors.push(invalidValue(path, text, `${text} is not positive integer multiple of ${name}`));
}
