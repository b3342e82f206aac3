import type { KubeObject } from "../wire/object.ts";
import { pluralOf } from "./plural.ts";
import type { MetadataInput, Resource, Scope } from "./resource.ts";
import { checkNames } from "./resource-name.ts";

/**
 * What `create` and `apply` take for a kind whose objects are `O`: everything but what the server or the token says.
 */
export type BuiltinInput<O extends KubeObject> = Omit<O, "apiVersion" | "kind" | "metadata" | "status"> & {
  readonly metadata: MetadataInput;
};

/** The token of a kind that is not ours; its input follows from its objects unless it is given. */
export type BuiltinResource<O extends KubeObject, I = BuiltinInput<O>> = Resource<O, I>;

export interface BuiltinOptions {
  /** Default: the core group. */
  readonly group?: string;
  readonly version: string;
  readonly kind: string;
  /** Default: the kind in lower case, in the English plural. */
  readonly plural?: string;
  /** Default: `Namespaced`. */
  readonly scope?: Scope;
  /** Default: none. */
  readonly subresources?: readonly string[];
}

/**
 * A token of a kind that somebody else defines: built into Kubernetes, or by another project's CRD. Its types are those
 * of the constant that it is assigned to, so that nothing is written twice:
 *
 * ```ts
 * interface IngressClass extends KubeObject { readonly spec: { readonly controller: string } }
 * const IngressClass: BuiltinResource<IngressClass> = defineBuiltin({
 *   group: "networking.k8s.io", version: "v1", kind: "IngressClass", scope: "Cluster",
 * });
 * ```
 *
 * @throws CodedError `InvalidResource` when a name is none that an API server could have.
 */
export function defineBuiltin<O extends KubeObject, I>(options: BuiltinOptions): Resource<O, I> {
  const { group = "", version, kind, scope = "Namespaced" } = options;
  const singular = kind.toLowerCase();
  const plural = options.plural ?? pluralOf(singular);
  checkNames({ group, version, kind, plural, singular });
  return Object.freeze({
    group,
    version,
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
    plural,
    singular,
    scope,
    subresources: Object.freeze([...(options.subresources ?? [])]),
  });
}
