import type { StoredObject } from "../registry/api-object.ts";
import type { GroupResource } from "../registry/object-reader.ts";

/** Names an object that may be gone by now. */
export interface ObjectPlace {
  readonly resource: GroupResource;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** A place as one text, and back. */
export function placeText({ resource, namespace = "", name }: ObjectPlace): string {
  return `${resource.group}/${resource.resource}/${namespace}/${name}`;
}

export function parsePlace(text: string): ObjectPlace {
  const [group = "", resource = "", namespace = "", ...name] = text.split("/");
  return { resource: { group, resource }, namespace: namespace === "" ? undefined : namespace, name: name.join("/") };
}

export function placeOf(resource: GroupResource, { metadata }: StoredObject): ObjectPlace {
  return { resource, namespace: metadata.namespace, name: metadata.name };
}

/** Who is owned by whom: places of dependents by the uid of an owner, there or not. */
export interface OwnerGraph {
  /** Takes in what an object says of its owners; undefined when it is gone. */
  put(place: string, object: StoredObject | undefined): void;
  /** In the order in which they came. */
  dependentsOf(uid: string): readonly string[];
  clear(): void;
}

export function createOwnerGraph(): OwnerGraph {
  const dependents = new Map<string, Set<string>>();
  const owners = new Map<string, readonly string[]>();

  return {
    put(place, object): void {
      const before = owners.get(place) ?? [];
      const now = (object?.metadata.ownerReferences ?? []).map(({ uid }) => uid);
      if (before.length === 0 && now.length === 0) return;
      for (const uid of before) {
        if (now.includes(uid)) continue;
        const places = dependents.get(uid);
        places?.delete(place);
        if (places?.size === 0) dependents.delete(uid);
      }
      for (const uid of now) {
        const places = dependents.get(uid) ?? new Set();
        dependents.set(uid, places.add(place));
      }
      if (now.length === 0) owners.delete(place);
      else owners.set(place, now);
    },
    dependentsOf: (uid) => [...(dependents.get(uid) ?? [])],
    clear(): void {
      dependents.clear();
      owners.clear();
    },
  };
}
