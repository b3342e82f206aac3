import type { ObjectKey } from "../wire/object.ts";

/** Values by namespace and name. */
export interface KeyMap<V> {
  get(key: ObjectKey): V | undefined;
  set(key: ObjectKey, value: V): void;
  delete(key: ObjectKey): void;
  values(): Iterable<V>;
}

/**
 * A map of maps: to put a key into one text for each look-up costs more than both look-ups. No namespace and an empty
 * one are the same.
 */
export function createKeyMap<V>(): KeyMap<V> {
  const namespaces = new Map<string, Map<string, V>>();
  return {
    get: ({ namespace = "", name }) => namespaces.get(namespace)?.get(name),
    set({ namespace = "", name }, value): void {
      let names = namespaces.get(namespace);
      if (names === undefined) {
        names = new Map();
        namespaces.set(namespace, names);
      }
      names.set(name, value);
    },
    delete({ namespace = "", name }): void {
      const names = namespaces.get(namespace);
      names?.delete(name);
      if (names?.size === 0) namespaces.delete(namespace);
    },
    values: () => [...namespaces.values()].flatMap((names) => [...names.values()]),
  };
}
