import type { StoredObject } from "../registry/api-object.ts";
import { apiVersionOf, type ServedKind } from "../registry/registry.ts";
import type { ObjectList } from "../verb/list.ts";
import type { Transform } from "./accept.ts";

const texts = new WeakMap<StoredObject, string>();

/** The JSON of a stored object, made once: lists and all watches of it share the text. */
export function jsonOf(object: StoredObject): string {
  let text = texts.get(object);
  if (text === undefined) {
    text = JSON.stringify(object);
    texts.set(object, text);
  }
  return text;
}

/** metav1.ListMeta of a list. */
export function listMeta(list: ObjectList, { custom }: { readonly custom: boolean } = { custom: false }): object {
  return {
    ...(list.continue === undefined ? (custom ? { continue: "" } : {}) : { continue: list.continue }),
    resourceVersion: list.resourceVersion,
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
  };
}

/** The JSON of a list. Items of built-in kinds do not repeat apiVersion and kind. */
export function listJson({ kind, version }: ServedKind, list: ObjectList): string {
  const head = {
    kind: kind.listKind,
    apiVersion: apiVersionOf(kind.group, version.version),
    metadata: listMeta(list, kind),
  };
  const items = list.items.map(kind.custom ? jsonOf : bareJsonOf);
  return `${JSON.stringify(head).slice(0, -1)},"items":[${items.join(",")}]}`;
}

const bareTexts = new WeakMap<StoredObject, string>();

function bareJsonOf(object: StoredObject): string {
  let text = bareTexts.get(object);
  if (text === undefined) {
    const { apiVersion: _version, kind: _kind, ...rest } = object;
    text = JSON.stringify(rest);
    bareTexts.set(object, text);
  }
  return text;
}

/** Whether objects of a resource can be turned into this. */
export function isObjectForm({ group, version, kind }: Transform): boolean {
  return group === "meta.k8s.io" && (version === "v1" || version === "v1beta1") && objectForms.has(kind);
}

const objectForms: ReadonlySet<string> = new Set(["PartialObjectMetadata", "PartialObjectMetadataList", "Table"]);

/** metav1.PartialObjectMetadata of an object. */
export function partialOf({ metadata }: StoredObject, version = "v1"): object {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata };
}

/** metav1.PartialObjectMetadataList of a list. */
export function partialListOf(list: ObjectList, version: string): object {
  return {
    kind: "PartialObjectMetadataList",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMeta(list),
    items: list.items.length === 0 ? null : list.items.map((object) => partialOf(object, version)),
  };
}
