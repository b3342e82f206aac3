import type { StoredObject } from "../../registry/api-object.ts";
import { selects } from "../../registry/label-selector.ts";
import type { ObjectReader } from "../../registry/object-reader.ts";
import type { Registry, ServedKind } from "../../registry/registry.ts";
import type { BindingSpec, PolicySpec } from "../built-in/admission-policy.ts";

type ParamKind = NonNullable<PolicySpec["paramKind"]>;

/** The kind of a policy's parameters, or why there is none. */
export function paramKindOf(
  { apiVersion = "", kind = "" }: ParamKind,
  registry: Registry,
): ServedKind | { readonly error: string } {
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const found = registry.findKind(group, kind);
  const served = found?.versions.find((one) => one.version === version && one.served);
  if (found !== undefined && served !== undefined) return { kind: found, version: served };
  return { error: `failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'` };
}

/** The objects that a binding gives to its policy as parameters, as they are stored, or what is wrong with it. */
export function paramsOf(
  { kind }: ServedKind,
  reference: NonNullable<BindingSpec["paramRef"]>,
  { namespace, reader }: { readonly namespace: string; readonly reader: ObjectReader },
): readonly StoredObject[] | { readonly error: string } {
  const { name = "", namespace: named = "", selector, parameterNotFoundAction } = reference;
  const resource = { group: kind.storedAs?.group ?? kind.group, resource: kind.plural };
  if (!kind.namespaced && named !== "") {
    return { error: "paramRef.namespace must not be provided for a cluster-scoped `paramKind`" };
  }
  const within = kind.namespaced ? named || namespace : undefined;
  if (within === "") {
    return { error: "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources" };
  }
  const found =
    name === ""
      ? reader.list(resource, within).filter(({ metadata }) => selects(selector ?? {}, metadata.labels))
      : [reader.find(resource, { namespace: within, name })].filter((one) => one !== undefined);
  if (found.length > 0 || parameterNotFoundAction !== "Deny") return found;
  return { error: "no params found for policy binding with `Deny` parameterNotFoundAction" };
}
