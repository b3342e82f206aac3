import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import type { DefinedSchema } from "../../schema/definition/defined-schema.ts";
import { sameJson } from "../../schema/plain-object.ts";

/** spec.names, and status.acceptedNames. */
export interface DefinitionNames {
  plural?: string;
  singular?: string;
  kind?: string;
  listKind?: string;
  shortNames?: readonly string[];
  categories?: readonly string[];
}

export interface DefinitionColumn {
  readonly name?: string;
  readonly type?: string;
  readonly format?: string;
  readonly jsonPath?: string;
}

export interface DefinitionScale {
  readonly specReplicasPath?: string;
  readonly statusReplicasPath?: string;
  readonly labelSelectorPath?: string;
}

/** What a version may say of its own, or the definition of all of them. */
export interface DefinitionParts {
  schema?: { readonly openAPIV3Schema?: DefinedSchema };
  subresources?: { readonly status?: object; readonly scale?: DefinitionScale };
  additionalPrinterColumns?: readonly DefinitionColumn[];
  selectableFields?: readonly { readonly jsonPath?: string }[];
}

export interface DefinitionVersion extends DefinitionParts {
  readonly name: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
}

export interface DefinitionWebhook {
  readonly clientConfig?: {
    readonly url?: string;
    readonly caBundle?: string;
    readonly service?: {
      readonly name?: string;
      readonly namespace?: string;
      readonly path?: string;
      readonly port?: number;
    };
  };
  readonly conversionReviewVersions?: readonly string[];
}

/** The spec of apiextensions.k8s.io/v1 CustomResourceDefinition, as it may be before it is found valid. */
export interface DefinitionSpec {
  group?: string;
  names: DefinitionNames;
  scope?: string;
  versions?: readonly DefinitionVersion[] | null;
  conversion?: { readonly strategy?: string; readonly webhook?: DefinitionWebhook };
  preserveUnknownFields?: boolean;
}

export interface DefinitionCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface DefinitionStatus {
  conditions?: readonly DefinitionCondition[] | null;
  acceptedNames?: DefinitionNames;
  storedVersions?: string[] | null;
}

export function specOf(object: DraftObject | StoredObject): DefinitionSpec {
  return (object.spec ?? { names: {} }) as DefinitionSpec;
}

export function statusOf(object: DraftObject | StoredObject): DefinitionStatus {
  return (object.status ?? {}) as DefinitionStatus;
}

export function isEstablished(object: DraftObject | StoredObject): boolean {
  return (statusOf(object).conditions ?? []).some(({ type, status }) => type === "Established" && status === "True");
}

/** None where there are none, which may be stored as null. */
export function versionsOf({ versions }: DefinitionSpec): readonly DefinitionVersion[] {
  return versions ?? [];
}

/** A definition as the server judges it: what all versions say alike stands once, with the versions cleared of it. */
export interface InternalSpec {
  readonly shared: DefinitionParts;
  readonly versions: readonly DefinitionVersion[];
}

const parts = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

export function internalSpec(spec: DefinitionSpec): InternalSpec {
  const versions = versionsOf(spec);
  const [first, ...others] = versions;
  const shared: DefinitionParts = {};
  const own = versions.map((version) => ({ ...version }));
  for (const part of parts) {
    if (first === undefined || !others.every((version) => sameJson(version[part], first[part]))) continue;
    if (first[part] !== undefined) Object.assign(shared, { [part]: first[part] });
    for (const version of own) Reflect.deleteProperty(version, part);
  }
  return { shared, versions: own };
}
