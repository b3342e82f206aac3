import { addErrors, type FieldError, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { builtInSchema } from "../../registry/built-in-schema.ts";
import { internalSchema } from "../../schema/definition/internal-form.ts";
import { validateDefinedSchema } from "../../schema/definition/schema-check.ts";
import { parseGoUrl } from "../../schema/go-url.ts";
import { sameJson } from "../../schema/plain-object.ts";
import { validateEmbeddedMeta } from "../embedded-meta.ts";
import { dnsLabel1035, dnsSubdomain } from "../name-rule.ts";
import { immutableText, validateMeta, validateMetaUpdate } from "../object-meta.ts";
import { hasKnownReviewVersion, isCaBundle, validateConversion } from "./conversion-check.ts";
import {
  type DefinitionSpec,
  type DefinitionVersion,
  internalSpec,
  isEstablished,
  specOf,
  statusOf,
  versionsOf,
} from "./definition.ts";
import { validateDefinitionNames } from "./names-check.ts";
import { validateColumn, validateScale, validateSelectableFields } from "./parts-check.ts";

/** All that is wrong with a new CustomResourceDefinition, in the order of the real server. */
export function validateDefinition(object: DraftObject): readonly FieldError[] {
  const { group = "", names } = specOf(object);
  const nameRule = (name: string, prefix = false): readonly string[] => [
    ...dnsSubdomain(name, prefix),
    ...(name === `${names.plural ?? ""}.${group}` ? [] : ['must be spec.names.plural+"."+spec.group']),
  ];
  return [...validateMeta(object.metadata, { namespaced: false, nameRule }), ...validateRest(object, undefined)];
}

/** All that is wrong with an update of one. */
export function validateDefinitionUpdate(object: DraftObject, old: StoredObject): readonly FieldError[] {
  return [...validateMetaUpdate(object.metadata, old.metadata), ...validateRest(object, old)];
}

/** Of a write to `/status`. */
export function validateDefinitionStatus(object: DraftObject, old: StoredObject): readonly FieldError[] {
  return [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateDefinitionNames(statusOf(object).acceptedNames ?? {}, "status.acceptedNames"),
  ];
}

function validateRest(object: DraftObject, old: StoredObject | undefined): readonly FieldError[] {
  const spec = specOf(object);
  return [
    ...validateSpec(spec, old),
    ...validateDefinitionNames(statusOf(object).acceptedNames ?? {}, "status.acceptedNames"),
    ...storedVersionErrors(object),
    ...approvalErrors(object, old),
    ...(spec.preserveUnknownFields === true && (old === undefined || specOf(old).preserveUnknownFields !== true)
      ? [invalidValue("spec.preserveUnknownFields", true, preserveText)]
      : []),
  ];
}

const preserveText =
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";

function validateSpec(spec: DefinitionSpec, old: StoredObject | undefined): readonly FieldError[] {
  const errors: FieldError[] = [...groupErrors(spec.group ?? "")];
  const { shared, versions } = internalSpec(spec);
  const before = old === undefined ? undefined : specOf(old);
  if ((spec.scope ?? "") === "") errors.push(required("spec.scope"));
  else if (spec.scope !== "Cluster" && spec.scope !== "Namespaced") {
    errors.push(notSupported("spec.scope", spec.scope, ["Cluster", "Namespaced"]));
  }
  if (shared.schema?.openAPIV3Schema === undefined) {
    for (const [index, { schema }] of versions.entries()) {
      if (schema?.openAPIV3Schema === undefined)
        errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
    }
  }
  const keptSchemas = unchangedSchemas(spec, before);
  for (const [index, version] of versions.entries()) {
    const subresources = version.subresources ?? shared.subresources;
    const hasStatus = subresources?.status !== undefined;
    addErrors(
      errors,
      versionErrors(version, `spec.versions[${index}]`, { hasStatus, unchanged: keptSchemas.has(version.name) }),
    );
  }
  addErrors(errors, versionListErrors(versions));
  // The oldest of the internal fields, of which only this is left.
  const firstFaults = dnsLabel1035(versions[0]?.name ?? "a");
  if (firstFaults.length > 0) errors.push(invalidValue("spec.version", versions[0]?.name, firstFaults.join(",")));
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if ((spec.names[name] ?? "") === "") errors.push(required(`spec.names.${name}`));
  }
  addErrors(errors, validateDefinitionNames(spec.names, "spec.names"));
  const schema = shared.schema?.openAPIV3Schema;
  if (schema !== undefined) {
    const hasStatus = [shared, ...versions].some(({ subresources }) => subresources?.status !== undefined);
    addErrors(
      errors,
      validateDefinedSchema(schema, {
        ...metaChecks(),
        at: "spec.validation.openAPIV3Schema",
        hasStatus,
        unchanged: keptSchemas.has(versions[0]?.name ?? ""),
      }),
    );
  }
  addErrors(errors, validateScale(shared.subresources?.scale, "spec.subresources"));
  for (const [index, column] of (shared.additionalPrinterColumns ?? []).entries()) {
    addErrors(errors, validateColumn(column, `spec.additionalPrinterColumns[${index}]`));
  }
  addErrors(errors, validateSelectableFields(shared, "spec.selectableFields"));
  addErrors(
    errors,
    validateConversion(spec.conversion, "spec.conversion", {
      requireKnownVersion: before === undefined || hasKnownReviewVersion(before),
      allowInvalidCaBundle: old === undefined || !isEstablished(old) || hasInvalidBundle(specOf(old)),
    }),
  );
  if (old !== undefined && before !== undefined) addErrors(errors, immutableErrors(spec, before, isEstablished(old)));
  return errors;
}

function metaChecks(): Pick<Parameters<typeof validateDefinedSchema>[1], "checkMeta" | "objectMeta"> {
  return { objectMeta: builtInSchema("meta.v1.ObjectMeta"), checkMeta: validateEmbeddedMeta };
}

function hasInvalidBundle({ conversion }: DefinitionSpec): boolean {
  return !isCaBundle(conversion?.webhook?.clientConfig?.caBundle ?? "");
}

function groupErrors(group: string): readonly FieldError[] {
  if (group === "") return [required("spec.group")];
  const faults = dnsSubdomain(group);
  if (faults.length > 0) return [invalidValue("spec.group", group, faults.join(","))];
  return group.includes(".") ? [] : [invalidValue("spec.group", group, "should be a domain with at least one dot")];
}

/** The names of versions whose schemas are what they were: their rules may cost what they do. */
function unchangedSchemas(spec: DefinitionSpec, before: DefinitionSpec | undefined): ReadonlySet<string> {
  const versions = versionsOf(spec);
  const old = new Map((before === undefined ? [] : versionsOf(before)).map(({ name, schema }) => [name, schema]));
  const same = versions.filter(({ name, schema }) => old.has(name) && sameJson(schema, old.get(name)));
  return new Set(same.map(({ name }) => name));
}

function versionErrors(
  version: DefinitionVersion,
  at: string,
  options: { readonly hasStatus: boolean; readonly unchanged: boolean },
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const faults = dnsLabel1035(version.name);
  if (faults.length > 0) errors.push(invalidValue(`${at}.name`, version.name, faults.join(",")));
  addErrors(errors, deprecationErrors(version, `${at}.deprecationWarning`));
  const schema = version.schema?.openAPIV3Schema;
  if (schema !== undefined) {
    addErrors(
      errors,
      validateDefinedSchema(schema, { ...metaChecks(), ...options, at: `${at}.schema.openAPIV3Schema` }),
    );
  }
  addErrors(errors, validateScale(version.subresources?.scale, `${at}.subresources`));
  for (const [index, column] of (version.additionalPrinterColumns ?? []).entries()) {
    addErrors(errors, validateColumn(column, `${at}.additionalPrinterColumns[${index}]`));
  }
  if (version.selectableFields !== undefined)
    addErrors(errors, validateSelectableFields(version, `${at}.selectableFields`));
  return errors;
}

function deprecationErrors({ deprecated, deprecationWarning }: DefinitionVersion, at: string): readonly FieldError[] {
  if (deprecationWarning === undefined) return [];
  if (deprecated !== true) return [invalidValue(at, deprecationWarning, "can only be set for deprecated versions")];
  const errors: FieldError[] = [];
  const refuse = (why: string): void => {
    errors.push(invalidValue(at, deprecationWarning, why));
  };
  if (Buffer.byteLength(deprecationWarning) > 256) refuse("must be <= 256 characters long");
  if (deprecationWarning === "") refuse("must not be an empty string");
  const hidden = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(deprecationWarning)?.index;
  if (hidden !== undefined) {
    const index = Buffer.byteLength(deprecationWarning.slice(0, hidden));
    refuse(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
  }
  return errors;
}

function versionListErrors(versions: readonly DefinitionVersion[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set(versions.map(({ name }) => name));
  const shown = versions.map(internalVersion);
  if (names.size < versions.length)
    errors.push(invalidValue("spec.versions", shown, "must contain unique version names"));
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    errors.push(invalidValue("spec.versions", shown, "must have exactly one version marked as storage version"));
  }
  return errors;
}

/** A version as the server's internal type prints it in an error. */
function internalVersion(version: DefinitionVersion): unknown {
  const { schema, subresources, additionalPrinterColumns, selectableFields } = version;
  const scale = subresources?.scale;
  return {
    Name: version.name,
    Served: version.served ?? false,
    Storage: version.storage ?? false,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema:
      schema === undefined
        ? null
        : { OpenAPIV3Schema: schema.openAPIV3Schema === undefined ? null : internalSchema(schema.openAPIV3Schema) },
    Subresources:
      subresources === undefined
        ? null
        : {
            Status: subresources.status === undefined ? null : {},
            Scale:
              scale === undefined
                ? null
                : {
                    SpecReplicasPath: scale.specReplicasPath ?? "",
                    StatusReplicasPath: scale.statusReplicasPath ?? "",
                    LabelSelectorPath: scale.labelSelectorPath ?? null,
                  },
          },
    AdditionalPrinterColumns:
      additionalPrinterColumns?.map((column) => ({
        Name: column.name ?? "",
        Type: column.type ?? "",
        Format: column.format ?? "",
        Description: (column as { readonly description?: string }).description ?? "",
        Priority: (column as { readonly priority?: number }).priority ?? 0,
        JSONPath: column.jsonPath ?? "",
      })) ?? null,
    SelectableFields: selectableFields?.map(({ jsonPath = "" }) => ({ JSONPath: jsonPath })) ?? null,
  };
}

function immutableErrors(spec: DefinitionSpec, old: DefinitionSpec, established: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  const check = (field: string, now: string | undefined, before: string | undefined): void => {
    if ((now ?? "") !== (before ?? "")) errors.push(invalidValue(field, now ?? "", immutableText));
  };
  if (established) {
    check("spec.scope", spec.scope, old.scope);
    check("spec.names.kind", spec.names.kind, old.names.kind);
  }
  check("spec.group", spec.group, old.group);
  check("spec.names.plural", spec.names.plural, old.names.plural);
  return errors;
}

function storedVersionErrors(object: DraftObject): readonly FieldError[] {
  const at = "status.storedVersions";
  const stored = statusOf(object).storedVersions ?? null;
  if (stored === null || stored.length === 0)
    return [invalidValue(at, stored, "must have at least one stored version")];
  const versions = versionsOf(specOf(object));
  const errors: FieldError[] = [];
  for (const { name, storage } of versions) {
    if (storage === true && !stored.includes(name)) {
      errors.push(invalidValue(at, stored, `must have the storage version ${name}`));
    }
  }
  for (const [index, name] of stored.entries()) {
    if (versions.some((version) => version.name === name)) continue;
    const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalidValue(`${at}[${index}]`, name, why));
  }
  return errors;
}

const approval = "api-approved.kubernetes.io";

/** Groups of the Kubernetes project need somebody's word that they may be. */
function approvalErrors(object: DraftObject, old: StoredObject | undefined): readonly FieldError[] {
  const { group = "" } = specOf(object);
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)) return [];
  const state = approvalState(object);
  if (old !== undefined && approvalState(old) === state) return [];
  const field = `metadata.annotations[${approval}]`;
  const needed = `protected groups must have approval annotation "${approval}"`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (state === "missing") return [required(field, `${needed}, ${see}`)];
  if (state === "good") return [];
  const why = `${needed} with either a URL or a reason starting with "unapproved", ${see}`;
  return [invalidValue(field, object.metadata.annotations?.[approval], why)];
}

function approvalState({ metadata }: DraftObject | StoredObject): "bad" | "good" | "missing" {
  const said = metadata.annotations?.[approval] ?? "";
  if (said === "") return "missing";
  const url = parseGoUrl(said);
  const isUrl = url !== undefined && url.host !== "" && url.scheme !== "";
  return said.startsWith("unapproved") || isUrl ? "good" : "bad";
}
