import type { CrdNames, CrdVersion } from "../wire/custom-resource-definition.ts";
import type { KubeObject, ObjectKey, OwnerReference } from "../wire/object.ts";

declare const objectType: unique symbol;
declare const inputType: unique symbol;

export type Scope = "Namespaced" | "Cluster";

/** What defineResource made of its schemas: all that a CustomResourceDefinition says of one version. */
export interface ResourceDefinition {
  readonly names: CrdNames;
  readonly version: Omit<CrdVersion, "storage">;
}

/**
 * A typed token of a kind: what the client, the cache and sources need to know to reach it, and the static types of its
 * objects. `O` is what the server gives; `I` is what `create` and `apply` take. Made by `defineResource` or
 * `defineBuiltin`.
 */
export interface Resource<O extends KubeObject = KubeObject, I = unknown> {
  /** The API group; `""` is the core group. */
  readonly group: string;
  readonly version: string;
  /** `version` for the core group, else `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The lower-case plural in the path: `storagebuckets`. */
  readonly plural: string;
  readonly singular: string;
  readonly scope: Scope;
  /** Subresources that the server has: `status` decides what `wakeOn` defaults to. */
  readonly subresources: readonly string[];
  /**
   * Present exactly when defineResource made the token. Such a kind has `metadata.generation`, and it moves with the
   * spec alone when the kind has a status subresource: what `wakeOn: "spec"` needs.
   */
  readonly definition?: ResourceDefinition;
  readonly [objectType]?: O;
  readonly [inputType]?: I;
}

/** Any resource, where its types do not matter. */
export type AnyResource = Resource;

/** The type of a resource's objects: `type StorageBucket = ObjectOf<typeof StorageBucket>`. */
export type ObjectOf<R> = R extends Resource<infer O, unknown> ? O : never;

/** The type that `create` and `apply` take for a resource. */
export type InputOf<R> = R extends Resource<KubeObject, infer I> ? I : never;

/** The metadata that a caller gives when creating or applying. */
export interface MetadataInput extends ObjectKey {
  readonly generateName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** A value of which no part may be changed: cached objects are frozen, and the types say so before the run does. */
export type DeepReadonly<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** An object with a spec and a status. */
export interface CustomObject<Spec, Status> extends KubeObject {
  readonly spec: DeepReadonly<Spec>;
  readonly status?: DeepReadonly<Status>;
}

export interface CustomInput<Spec> {
  readonly metadata: MetadataInput;
  readonly spec: Spec;
}

/** `storagebuckets.storage.farwatch.dev`; the plural alone for the core group. */
export function groupResource(resource: AnyResource): string {
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}
