import type { StoredObject } from "../registry/api-object.ts";
import type { ObjectReader } from "../registry/object-reader.ts";
import { objectKey } from "./collection.ts";
import { resourceId, type Store } from "./store.ts";

const none: readonly StoredObject[] = [];

/** What the server reads of its own objects, in the version that is stored. */
export function createObjectReader(store: Store): ObjectReader {
  return {
    find: ({ group, resource }, key) => store.get(resourceId({ group, plural: resource }), objectKey(key)),
    list({ group, resource }, namespace): readonly StoredObject[] {
      const id = resourceId({ group, plural: resource });
      if (store.count(id) === 0) return none;
      if (namespace === undefined) return [...store.list(id)];
      const found: StoredObject[] = [];
      for (const object of store.list(id, `${namespace}/`)) {
        if (object.metadata.namespace !== namespace) break;
        found.push(object);
      }
      return found;
    },
  };
}
