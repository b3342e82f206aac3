import { formatQuantity } from "farwatch";
import { type FieldError, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import { qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import type { ResourceFieldSelector } from "./pod-shape.ts";
import { quantityOf } from "./resource-check.ts";

/** Fields of its pod that an environment variable may have. */
export const envFieldPaths: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
/** Fields of its pod that a file may have. */
export const volumeFieldPaths: readonly string[] = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
/** All that the downward API knows. */
const knownPaths: ReadonlySet<string> = new Set([
  ...envFieldPaths,
  ...volumeFieldPaths,
  "spec.host",
  "spec.hostname",
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
]);
const resources = ["cpu", "ephemeral-storage", "memory"];
const resourcePaths = ["limits", "requests"].flatMap((list) => resources.map((name) => `${list}.${name}`));

/** A reference to a field of the pod: `metadata.name`, `metadata.labels['a']`. */
export function pushFieldRefErrors(
  errors: FieldError[],
  path: string,
  {
    selector,
    allowed,
  }: {
    readonly selector: { readonly apiVersion?: string; readonly fieldPath?: string };
    readonly allowed: readonly string[];
  },
): void {
  const { apiVersion = "", fieldPath = "" } = selector;
  if (apiVersion === "") errors.push(required(`${path}.apiVersion`));
  else if (fieldPath === "") errors.push(required(`${path}.fieldPath`));
  else {
    const [, name = fieldPath, key] = /^([^[]*)\['(.*)'\]$/s.exec(fieldPath) ?? [];
    const hasKeys = name === "metadata.annotations" || name === "metadata.labels";
    const known = apiVersion === "v1" && (key === undefined ? knownPaths.has(fieldPath) : hasKeys);
    if (!known) {
      const why =
        apiVersion === "v1" ? `field label not supported: ${fieldPath}` : `unsupported pod version: ${apiVersion}`;
      errors.push(invalidValue(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`));
    } else if (key !== undefined) {
      const label = name === "metadata.annotations" ? key.toLowerCase() : key;
      pushFaults(errors, path, label, qualifiedName(label));
    } else if (!allowed.includes(fieldPath)) errors.push(notSupported(`${path}.fieldPath`, fieldPath, allowed));
  }
}

/** A reference to an amount that a container asks for: `limits.cpu`. */
export function pushResourceFieldErrors(
  errors: FieldError[],
  path: string,
  { selector, inVolume }: { readonly selector: ResourceFieldSelector; readonly inVolume: boolean },
): void {
  const { containerName = "", resource = "", divisor = "0" } = selector;
  const isHugePage = /^(limits|requests)\.hugepages-/.test(resource);
  if (inVolume && containerName === "") errors.push(required(`${path}.containerName`));
  else if (resource === "") errors.push(required(`${path}.resource`));
  else if (!resourcePaths.includes(resource) && !isHugePage) {
    errors.push(notSupported(`${path}.resource`, resource, resourcePaths));
  }
  const unit = formatQuantity(quantityOf(divisor));
  if (unit === "0") return;
  const isCpu = resource === "limits.cpu" || resource === "requests.cpu";
  const what = isCpu
    ? "cpu"
    : isHugePage
      ? "hugepages"
      : resource.endsWith(".memory")
        ? "memory"
        : "local ephemeral storage";
  const units = isCpu
    ? ["1m", "1"]
    : ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
  if ((!resourcePaths.includes(resource) && !isHugePage) || units.includes(unit)) return;
  const list = isCpu ? "1m and 1" : units.join(", ");
  errors.push(
    invalidValue(`${path}.divisor`, resource, `only divisor's values ${list} are supported with the ${what} resource`),
  );
}
