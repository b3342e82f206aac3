import type { StoredObject } from "../registry/api-object.ts";
import type { GroupResource, ObjectReader } from "../registry/object-reader.ts";

/** An ObjectReader on a list that a test changes as it likes. */
export interface MemoryReader extends ObjectReader {
  /** Adds or replaces an object. Its uid is `uid of NAMESPACE/NAME` unless it has one. */
  put(resource: GroupResource, object: { readonly metadata: object } & Readonly<Record<string, unknown>>): StoredObject;
  delete(resource: GroupResource, key: { readonly namespace?: string | undefined; readonly name: string }): void;
  /** Bumped by each change. */
  readonly revision: number;
}

export function createMemoryReader(): MemoryReader {
  const objects = new Map<string, StoredObject>();
  let revision = 0;
  const keyOf = ({ group, resource }: GroupResource, namespace = "", name = ""): string =>
    [group, resource, namespace, name].join("/");
  return {
    get revision() {
      return revision;
    },
    find: (resource, { namespace, name }) => objects.get(keyOf(resource, namespace, name)),
    list: (resource, namespace) =>
      [...objects]
        .filter(([key]) =>
          key.startsWith(`${resource.group}/${resource.resource}/${namespace === undefined ? "" : `${namespace}/`}`),
        )
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, object]) => object),
    put(resource, object) {
      revision += 1;
      const {
        name = "",
        namespace,
        ...rest
      } = object.metadata as { readonly name?: string; readonly namespace?: string };
      const stored: StoredObject = {
        apiVersion: "v1",
        kind: "Test",
        ...object,
        metadata: {
          name,
          ...(namespace !== undefined && { namespace }),
          uid: `uid of ${namespace ?? ""}/${name}`,
          resourceVersion: String(revision),
          ...rest,
        },
      };
      objects.set(keyOf(resource, namespace, name), stored);
      return stored;
    },
    delete(resource, { namespace, name }) {
      revision += 1;
      objects.delete(keyOf(resource, namespace, name));
    },
  };
}
