import { isDeepStrictEqual } from "node:util";
import { CodedError } from "../error/coded-error.ts";
import type { CrdSpec } from "../wire/custom-resource-definition.ts";
import type { AnyResource } from "./resource.ts";

/** A CustomResourceDefinition as one creates or applies it. */
export interface CrdManifest {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string };
  readonly spec: CrdSpec;
}

export interface ToCrdOptions {
  /** The version in which objects are stored; default: the last. What its schema does not name is not stored. */
  readonly storageVersion?: string;
}

/**
 * The CustomResourceDefinition of a kind, from its one resource or from one for each version; all must have the same
 * names and scope. Between versions the API server changes nothing but `apiVersion`.
 *
 * @throws CodedError `InvalidResource` for a resource that defineResource did not make, or for versions that do not go
 * together.
 */
export function toCrd(resource: AnyResource | readonly AnyResource[], options: ToCrdOptions = {}): CrdManifest {
  const resources: readonly AnyResource[] = "group" in resource ? [resource] : resource;
  const last = resources.at(-1);
  if (last === undefined) throw new CodedError("InvalidResource", "Cannot make a CRD: no resource is given");
  const { kind, group, scope, plural } = last;
  const refuse = (state: string): never => {
    throw new CodedError("InvalidResource", `Cannot make a CRD of ${kind}: ${state}`);
  };
  const storageVersion = options.storageVersion ?? last.version;
  const names = last.definition?.names;
  const versions = resources.map((each) => {
    if (each.definition === undefined)
      return refuse(`${each.kind} was not made by defineResource, so that its schema is unknown`);
    if (each.group !== group || each.scope !== scope || !isDeepStrictEqual(each.definition.names, names)) {
      return refuse(
        `version ${each.version} differs from ${last.version} in group, scope or names; give all versions the same`,
      );
    }
    const { name, served, ...rest } = each.definition.version;
    return { name, served, storage: name === storageVersion, ...rest };
  });
  if (new Set(versions.map(({ name }) => name)).size < versions.length) refuse("a version is given twice");
  if (!versions.some(({ storage }) => storage)) refuse(`the storage version ${storageVersion} is none of its versions`);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, names: names ?? refuse("it has no names"), scope, versions },
  };
}
