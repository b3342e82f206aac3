import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import { checkLabelSelector } from "../field-check.ts";
import { dnsLabel, dnsSubdomain } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import type { ClaimSpec } from "./pod-shape.ts";
import { pushAmountErrors, quantityOf } from "./resource-check.ts";

export const accessModes: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const volumeModes: readonly string[] = ["Block", "Filesystem"];

/** Modes of a claim or a volume, where the exclusive one stands alone. */
function checkAccessModes(errors: FieldError[], path: string, modes: readonly string[]): void {
  if (modes.length === 0) errors.push(required(path, "at least 1 access mode is required"));
}

/** The spec of a PersistentVolumeClaim, also where it is a template. */
export function checkClaimSpec(errors: FieldError[], path: string, spec: ClaimSpec): void {
  const { accessModes: modes = [], resources, storageClassName = "", volumeMode, dataSource, dataSourceRef } = spec;
  checkAccessModes(errors, `${path}.accessModes`, modes);
  checkLabelSelector(errors, `${path}.selector`, spec.selector);
  for (const mode of modes) {
    if (!accessModes.includes(mode)) errors.push(notSupported(`${path}.accessModes`, mode, accessModes));
  }
  if (
    modes.includes("ReadWriteOncePod") &&
    modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode))
  ) {
    errors.push(forbiddenField(`${path}.accessModes`, "may not use ReadWriteOncePod with other access modes"));
  }
  const storage = resources?.requests?.storage;
  const at = `${path}.resources[storage]`;
  if (storage === undefined) errors.push(required(at));
  else if (quantityOf(storage).nano <= 0n) errors.push(invalidValue(at, storage, "must be greater than zero"));
  else pushAmountErrors(errors, at, { name: "storage", amount: storage });
  if (storageClassName !== "") {
    pushFaults(errors, `${path}.storageClassName`, storageClassName, dnsSubdomain(storageClassName));
  }
  if (volumeMode !== undefined && !volumeModes.includes(volumeMode)) {
    errors.push(notSupported(`${path}.volumeMode`, volumeMode, volumeModes));
  }
  checkSource(errors, `${path}.dataSource`, dataSource);
  checkSource(errors, `${path}.dataSourceRef`, dataSourceRef);
  const namespace = dataSourceRef?.namespace ?? "";
  if (namespace !== "") pushFaults(errors, `${path}.dataSourceRef.namespace`, namespace, dnsLabel(namespace));
  if (dataSource === undefined || dataSourceRef === undefined) return;
  // The real server prints the path where a value belongs, and Go prints a path as an empty object.
  if (namespace !== "")
    errors.push(invalidValue(path, {}, "may not be specified when dataSourceRef.namespace is specified"));
  else if (
    (dataSource.apiGroup ?? null) !== (dataSourceRef.apiGroup ?? null) ||
    dataSource.kind !== dataSourceRef.kind ||
    dataSource.name !== dataSourceRef.name
  ) {
    errors.push(invalidValue(path, {}, "must match dataSourceRef"));
  }
}

function checkSource(errors: FieldError[], path: string, source: ClaimSpec["dataSource"]): void {
  if (source === undefined) return;
  const { name = "", kind = "", apiGroup = "" } = source;
  if (name === "") errors.push(required(`${path}.name`));
  if (kind === "") errors.push(required(`${path}.kind`));
  if (apiGroup === "" && kind !== "PersistentVolumeClaim") {
    errors.push(invalidValue(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  if (apiGroup !== "") pushFaults(errors, `${path}.apiGroup`, apiGroup, dnsSubdomain(apiGroup));
}
