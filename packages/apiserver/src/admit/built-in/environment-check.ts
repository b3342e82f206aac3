import { type FieldError, invalidValue, required } from "../../failure/field-error.ts";
import { configKey, dnsSubdomain, envName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import { envFieldPaths, pushFieldRefErrors, pushResourceFieldErrors } from "./downward-check.ts";
import type { EnvFrom, EnvVar, KeySelector } from "./pod-shape.ts";

/** Variables of a container: each with a name, and a value or one source of it. */
export function checkEnv(errors: FieldError[], path: string, vars: readonly EnvVar[] | undefined): void {
  vars?.forEach((variable, index) => {
    const at = `${path}[${index}]`;
    const { name = "", value = "", valueFrom } = variable;
    if (name === "") errors.push(required(`${at}.name`));
    else pushFaults(errors, `${at}.name`, name, envName(name));
    if (valueFrom === undefined) return;
    const from = `${at}.valueFrom`;
    const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
    if (fieldRef !== undefined)
      pushFieldRefErrors(errors, `${from}.fieldRef`, { selector: fieldRef, allowed: envFieldPaths });
    if (resourceFieldRef !== undefined) {
      pushResourceFieldErrors(errors, `${from}.resourceFieldRef`, { selector: resourceFieldRef, inVolume: false });
    }
    checkKeySelector(errors, `${from}.configMapKeyRef`, configMapKeyRef);
    checkKeySelector(errors, `${from}.secretKeyRef`, secretKeyRef);
    const count = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(
      (one) => one !== undefined,
    ).length;
    if (count === 0) errors.push(invalidValue(from, "", `must specify one of: ${envSources}`));
    else if (value !== "") errors.push(invalidValue(from, "", "may not be specified when `value` is not empty"));
    else if (count > 1) errors.push(invalidValue(from, "", "may not have more than one field specified at a time"));
  });
}

const envSources = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";

function checkKeySelector(errors: FieldError[], path: string, selector: KeySelector | undefined): void {
  if (selector === undefined) return;
  const { name = "", key = "" } = selector;
  pushFaults(errors, `${path}.name`, name, dnsSubdomain(name));
  if (key === "") errors.push(required(`${path}.key`));
  else pushFaults(errors, `${path}.key`, key, configKey(key));
}

/** ConfigMaps and Secrets whose keys are variables of a container. */
export function checkEnvFrom(errors: FieldError[], path: string, sources: readonly EnvFrom[] | undefined): void {
  sources?.forEach((source, index) => {
    const at = `${path}[${index}]`;
    const { prefix = "", configMapRef, secretRef } = source;
    if (prefix !== "") pushFaults(errors, `${at}.prefix`, prefix, envName(prefix));
    for (const [field, reference] of [
      ["configMapRef", configMapRef],
      ["secretRef", secretRef],
    ] as const) {
      if (reference === undefined) continue;
      const { name = "" } = reference;
      if (name === "") errors.push(required(`${at}.${field}.name`));
      else pushFaults(errors, `${at}.${field}.name`, name, dnsSubdomain(name, true));
    }
    if (configMapRef === undefined && secretRef === undefined) {
      errors.push(invalidValue(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.push(invalidValue(path, "", "may not have more than one field specified at a time"));
    }
  });
}
