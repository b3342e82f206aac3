import type { CrdPrinterColumn, CrdScale } from "farwatch";
import type { DefinedSchema } from "../schema/definition/defined-schema.ts";
import { servedSchema } from "../schema/definition/serve-schema.ts";
import type { DraftObject, StoredObject } from "./api-object.ts";
import { compareVersions } from "./compare-versions.ts";
import type { Kind, KindVersion, Subresource } from "./kind.ts";

/** A CustomResourceDefinition as it is stored: valid and defaulted. */
interface StoredCrd {
  readonly spec: {
    readonly group: string;
    readonly scope: "Cluster" | "Namespaced";
    readonly versions: readonly StoredVersion[];
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[] | null;
    readonly acceptedNames?: {
      readonly plural: string;
      readonly singular?: string;
      readonly kind: string;
      readonly listKind?: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
  };
}

interface StoredVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: DefinedSchema };
  readonly subresources?: { readonly status?: object; readonly scale?: CrdScale };
  readonly additionalPrinterColumns?: readonly CrdPrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

const age: CrdPrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "" };

/**
 * The kind that a CustomResourceDefinition defines, under the names that it was given (status.acceptedNames; spec.names
 * where none were). Asked once the definition is established.
 */
export function kindFromCrd(crd: DraftObject | StoredObject): Kind {
  const { spec, status } = crd as unknown as StoredCrd & { readonly spec: { readonly names: Names } };
  const accepted = status?.acceptedNames;
  const names = accepted !== undefined && accepted.plural !== "" ? accepted : spec.names;
  const lowerKind = names.kind.toLowerCase();
  return {
    group: spec.group,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? lowerKind,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: spec.scope === "Namespaced",
    verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
    versions: spec.versions.map((version) =>
      kindVersion(version, { group: spec.group, kind: names.kind, versions: spec.versions }),
    ),
    storageVersion: spec.versions.find((version) => version.storage)?.name ?? "",
    ...(isTerminating(status) ? { terminating: true } : {}),
    custom: true,
  };
}

function isTerminating(status: StoredCrd["status"]): boolean {
  return (status?.conditions ?? []).some(({ type, status: value }) => type === "Terminating" && value === "True");
}

type Names = NonNullable<NonNullable<StoredCrd["status"]>["acceptedNames"]>;

interface VersionNames {
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly StoredVersion[];
}

/** What to use instead of a deprecated version: the first newer one that is served and not deprecated itself. */
function newerText({ name }: StoredVersion, { group, kind, versions }: VersionNames): string {
  const [best] = versions
    .filter(({ served, deprecated }) => served && deprecated !== true)
    .map((version) => version.name)
    .filter((other) => compareVersions(other, name) < 0)
    .sort(compareVersions);
  return best === undefined ? "" : `; use ${group}/${best} ${kind}`;
}

function kindVersion(version: StoredVersion, names: VersionNames): KindVersion {
  const { status, scale } = version.subresources ?? {};
  const subresources: Subresource[] = [];
  if (status !== undefined) subresources.push({ name: "status", verbs: ["get", "patch", "update"] });
  if (scale !== undefined) {
    const body = { group: "autoscaling", version: "v1", kind: "Scale" };
    subresources.push({ name: "scale", body, verbs: ["get", "patch", "update"] });
  }
  const warning = `${names.group}/${version.name} ${names.kind} is deprecated${newerText(version, names)}`;
  return {
    version: version.name,
    served: version.served,
    subresources,
    schema: servedSchema(version.schema?.openAPIV3Schema ?? { "x-kubernetes-preserve-unknown-fields": true }),
    printerColumns: version.additionalPrinterColumns ?? [age],
    scale,
    selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, "")),
    deprecationWarning: version.deprecated === true ? (version.deprecationWarning ?? warning) : undefined,
  };
}
