import type { DraftObject } from "../registry/api-object.ts";
import { objectKey } from "./collection.ts";
import type { Store } from "./store.ts";

/** A ConfigMap that says one thing. */
export function configMapDraft(name: string, value: number | string = ""): DraftObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "n", uid: `uid of ${name}` },
    data: { value: String(value) },
  };
}

export const configMaps = "/configmaps";
export const keyOf = (name: string): string => objectKey({ namespace: "n", name });

/** Name and value of the objects of a list, and the versions they are in. */
export function told(objects: Iterable<DraftObject | ReturnType<Store["create"]>>): readonly string[] {
  return [...objects].map(({ metadata, data }) => {
    const { value } = data as { readonly value: string };
    return `${metadata.name}=${value}@${metadata.resourceVersion}`;
  });
}
