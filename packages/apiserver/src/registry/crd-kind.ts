import type { CrdPrinterColumn, CrdScale } from "farwatch";
import { isObject } from "../schema/plain-object.ts";
import type { ServedSchema } from "../schema/served-schema.ts";
import type { DraftObject, StoredObject } from "./api-object.ts";
import type { Kind, KindVersion, Subresource } from "./kind.ts";

/** A CustomResourceDefinition as it is stored: valid and defaulted. */
interface StoredCrd {
  readonly spec: {
    readonly group: string;
    readonly scope: "Cluster" | "Namespaced";
    readonly versions: readonly StoredVersion[];
  };
  readonly status?: {
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
  readonly schema?: { readonly openAPIV3Schema?: object };
  readonly subresources?: { readonly status?: object; readonly scale?: CrdScale };
  readonly additionalPrinterColumns?: readonly CrdPrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

const age: CrdPrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/**
 * The kind that a CustomResourceDefinition defines, under the names that it was given (status.acceptedNames; spec.names where
 * none were). Asked once the definition is established.
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
    versions: spec.versions.map((version) => kindVersion(version, { group: spec.group, kind: names.kind })),
    storageVersion: spec.versions.find((version) => version.storage)?.name ?? "",
    custom: true,
  };
}

type Names = NonNullable<NonNullable<StoredCrd["status"]>["acceptedNames"]>;

function kindVersion(version: StoredVersion, names: { readonly group: string; readonly kind: string }): KindVersion {
  const { status, scale } = version.subresources ?? {};
  const subresources: Subresource[] = [];
  if (status !== undefined) subresources.push({ name: "status", verbs: ["get", "patch", "update"] });
  if (scale !== undefined) {
    const body = { group: "autoscaling", version: "v1", kind: "Scale" };
    subresources.push({ name: "scale", body, verbs: ["get", "patch", "update"] });
  }
  const warning = `${names.group}/${version.name} ${names.kind} is deprecated`;
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

/** The schema of a definition with its short forms written out: `additionalProperties: true` is a map of anything. */
function servedSchema(schema: object): ServedSchema {
  const result: Record<string, unknown> = { ...schema };
  const { properties, items, additionalProperties } = result;
  if (isObject(properties)) {
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, servedSchema(field as object)]),
    );
  }
  if (isObject(items)) result.items = servedSchema(items);
  if (additionalProperties === true) result.additionalProperties = {};
  else if (isObject(additionalProperties)) result.additionalProperties = servedSchema(additionalProperties);
  else Reflect.deleteProperty(result, "additionalProperties");
  return result as ServedSchema;
}
