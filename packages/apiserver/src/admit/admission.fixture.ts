import type { DraftMeta, DraftObject, StoredObject } from "../registry/api-object.ts";
import { builtInKinds } from "../registry/built-in-kinds.ts";
import type { ObjectReader } from "../registry/object-reader.ts";
import { createRegistry, type Registry } from "../registry/registry.ts";
import type { AdmissionAttributes, AdmissionOperation } from "./attributes.ts";

/** An object as it is stored; what the test does not say of it does not matter. */
export function stored(
  apiVersion: string,
  kind: string,
  {
    metadata,
    ...rest
  }: { readonly metadata: Readonly<DraftMeta> & { readonly name: string } } & Readonly<Record<string, unknown>>,
): StoredObject {
  const { name } = metadata;
  return { apiVersion, kind, metadata: { uid: `uid-of-${name}`, resourceVersion: "1", ...metadata }, ...rest };
}

/** A reader of these objects, by `GROUP/PLURAL`; they may be changed meanwhile. */
export function readerOf(objects: Readonly<Record<string, readonly StoredObject[]>>): ObjectReader {
  const list: ObjectReader["list"] = ({ group, resource }, namespace) =>
    (objects[`${group}/${resource}`] ?? []).filter(
      ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
    );
  return {
    list,
    find: (resource, { namespace, name }) => list(resource, namespace).find((one) => one.metadata.name === name),
  };
}

export const registry: Registry = createRegistry(builtInKinds());

export interface Asked {
  readonly operation?: AdmissionOperation;
  readonly group?: string;
  readonly version?: string;
  readonly plural?: string;
  readonly namespace?: string;
  readonly subresource?: string;
  readonly object?: DraftObject;
  readonly old?: StoredObject;
  readonly name?: string;
  readonly dryRun?: boolean;
  readonly warn?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** A request about a ConfigMap of the namespace `default`, unless told otherwise. */
export function attributes(asked: Asked = {}): AdmissionAttributes & { readonly object: DraftObject } {
  const { group = "", version = "v1", plural = "configmaps", operation = "CREATE", object, old } = asked;
  const served = registry.findServed(group, version, plural);
  if (served === undefined) throw new Error(`There is no ${plural} of ${group}/${version}`);
  const { kind } = served.kind;
  const draft = object ?? { apiVersion: group === "" ? version : `${group}/${version}`, kind, metadata: { name: "a" } };
  return {
    operation,
    served,
    namespace: served.kind.namespaced ? (asked.namespace ?? "default") : undefined,
    name: asked.name ?? draft.metadata.name ?? "",
    subresource: asked.subresource,
    object: (operation === "DELETE" ? undefined : draft) as DraftObject,
    old,
    user: { name: "admin", groups: ["system:masters"] },
    dryRun: asked.dryRun ?? false,
    options: {},
    warn: asked.warn ?? (() => {}),
    signal: asked.signal ?? new AbortController().signal,
  };
}
