import type { StoredObject } from "../registry/api-object.ts";

/**
 * `namespace/name`, or `/name` where there is no namespace: the order of these texts is the order of lists, as in etcd.
 */
export function objectKey(key: { readonly namespace?: string | undefined; readonly name: string }): string {
  return `${key.namespace ?? ""}/${key.name}`;
}

/** The objects of one resource, and their keys in order. */
export interface Collection {
  readonly size: number;
  get(key: string): StoredObject | undefined;
  /** Keys from the first that is not before `from`, in order. */
  keysFrom(from: string): Iterable<string>;
  set(key: string, object: StoredObject): void;
  delete(key: string): void;
}

export function createCollection(): Collection {
  const objects = new Map<string, StoredObject>();
  const keys: string[] = [];

  /** The index of the first key that is not before the given one. */
  const indexOf = (key: string): number => {
    const last = keys.at(-1);
    if (last === undefined || last < key) return keys.length;
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    get size() {
      return keys.length;
    },
    get: (key) => objects.get(key),
    *keysFrom(from): Generator<string, void, undefined> {
      for (let index = indexOf(from); index < keys.length; index += 1) yield keys[index] as string;
    },
    set(key, object): void {
      if (!objects.has(key)) keys.splice(indexOf(key), 0, key);
      objects.set(key, object);
    },
    delete(key): void {
      if (objects.delete(key)) keys.splice(indexOf(key), 1);
    },
  };
}
