import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { schemasWithin } from "../../schema/definition/defined-schema.ts";
import { copyJson, sameJson } from "../../schema/plain-object.ts";
import { isKnownFormat } from "../../schema/string-format.ts";
import type { Strategy } from "../strategy.ts";
import { type DefinitionStatus, specOf, statusOf, versionsOf } from "./definition.ts";
import { validateDefinition, validateDefinitionStatus, validateDefinitionUpdate } from "./definition-check.ts";

/** Names and conversion that are not said; status.storedVersions begins with the storage version. */
function applyDefaults(object: DraftObject): void {
  const spec = specOf(object);
  const { names } = spec;
  if (names === undefined) return;
  if ((names.singular ?? "") === "") names.singular = (names.kind ?? "").toLowerCase();
  if ((names.listKind ?? "") === "" && (names.kind ?? "") !== "") names.listKind = `${names.kind}List`;
  if (names.singular === "") Reflect.deleteProperty(names, "singular");
  spec.conversion ??= { strategy: "None" };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service !== undefined) Object.assign(service, { port: service.port ?? 443 });
  const status = (object.status ?? {}) as DefinitionStatus;
  if ((status.storedVersions ?? []).length > 0) return;
  const storage = versionsOf(spec).find((version) => version.storage === true);
  if (storage !== undefined) object.status = { ...status, storedVersions: [storage.name] };
}

const emptyStatus = { conditions: null, acceptedNames: { plural: "", kind: "" } };

function storageVersion(object: DraftObject): string | undefined {
  return versionsOf(specOf(object)).find(({ storage }) => storage === true)?.name;
}

function unknownFormats(object: DraftObject | StoredObject): readonly string[] {
  const formats: string[] = [];
  const versions = versionsOf(specOf(object));
  const seen: unknown[] = [];
  for (const { schema } of versions) {
    const root = schema?.openAPIV3Schema;
    // What all versions say alike is looked at once.
    if (root === undefined || seen.some((one) => sameJson(one, root))) continue;
    seen.push(root);
    for (const { type, format = "" } of schemasWithin(root)) {
      if (type === "string" && format !== "" && !isKnownFormat(format)) formats.push(format);
    }
  }
  return formats;
}

/** CustomResourceDefinition of apiextensions.k8s.io/v1. */
export const definitionStrategy: Strategy = {
  applyDefaults,
  prepareForCreate(object): void {
    const storage = storageVersion(object);
    object.status = { ...emptyStatus, storedVersions: storage === undefined ? null : [storage] };
    object.metadata.generation = 1;
  },
  prepareForUpdate(object, old, { subresource }): void {
    if (subresource === "status") {
      object.spec = copyJson(old.spec);
      return;
    }
    const status: DefinitionStatus = copyJson(statusOf(old));
    if (!sameJson(object.spec, old.spec)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    const storage = storageVersion(object);
    const stored = status.storedVersions ?? [];
    if (storage !== undefined && !stored.includes(storage)) status.storedVersions = [...stored, storage];
    object.status = status;
  },
  validate: validateDefinition,
  validateUpdate: (object, old, { subresource }) =>
    subresource === "status" ? validateDefinitionStatus(object, old) : validateDefinitionUpdate(object, old),
  warnings(object, old): readonly string[] {
    const known = new Set(old === undefined ? [] : unknownFormats(old));
    return unknownFormats(object)
      .filter((format) => !known.has(format))
      .map((format) => `unrecognized format ${JSON.stringify(format)}`);
  },
};
