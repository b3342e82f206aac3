import type { ObjectEvent } from "../event/source-event.ts";
import { formatKey, type KubeObject } from "../wire/object.ts";
import { frozen } from "./frozen.ts";
import { compareVersions } from "./version.ts";

/** Values under which a named index files an object; gives the same for the same object every time. */
type IndexFunction<O> = (object: O) => readonly string[];

/**
 * The last known state of each object of one selection, by `namespace/name`. Every change is told to `publish` in the
 * tick in which it is made. What is read is frozen; what is put in must be the store's alone.
 */
export interface Store<O extends KubeObject> {
  readonly size: number;
  get(key: string): O | undefined;
  /** The same without freezing it: for a look at its metadata. */
  peek(key: string): O | undefined;
  /** Not frozen either, for readers that freeze what they hand on. */
  values(): Iterable<O>;
  /** All objects, or those that an index files under a value; undefined when there is no such index. */
  list(index?: readonly [name: string, value: string]): readonly O[] | undefined;
  /** The values under which an index would file an object; undefined when there is no such index. */
  indexedUnder(name: string, object: O): readonly string[] | undefined;
  /** Adds an index over what is stored. False when another function has that name already. */
  addIndex(name: string, valuesOf: IndexFunction<O>): boolean;
  /**
   * Takes a whole list for the truth: deletes what it lacks (`stateUnknown`, since the deletion was missed), then
   * creates and updates. The same uid and version is no event. In a new epoch, in which versions began anew, content
   * decides instead.
   */
  replace(objects: Iterable<O>, options: { readonly newEpoch: boolean; readonly initial: boolean }): void;
  /** An ADDED or MODIFIED event. One that is older than what is stored changes nothing. */
  put(object: O): void;
  /** A DELETED event, with the last state. One that is older than what is stored changes nothing. */
  remove(object: O): void;
}

export function createStore<O extends KubeObject>(options: {
  readonly publish: (event: ObjectEvent<O>) => void;
  /** Whether two objects of one uid and version are alike: asked in a new epoch only. */
  readonly isEqual: (a: O, b: O) => boolean;
}): Store<O> {
  const { publish, isEqual } = options;
  const objects = new Map<string, O>();
  /** Keys by value by index. Keys and not objects, so that an index can never give back a former state. */
  const indexes = new Map<string, { readonly valuesOf: IndexFunction<O>; readonly keys: Map<string, Set<string>> }>();

  const file = (key: string, old: O | undefined, object: O | undefined): void => {
    if (indexes.size === 0) return;
    // Index functions are the user's: what they see is frozen, and what they throw must leave nothing half done.
    const moves = [...indexes.values()].map(({ valuesOf, keys }) => ({
      keys,
      from: old === undefined ? [] : valuesOf(frozen(old)),
      to: object === undefined ? [] : valuesOf(frozen(object)),
    }));
    for (const { keys, from, to } of moves) {
      for (const value of from) {
        const filed = keys.get(value);
        filed?.delete(key);
        if (filed?.size === 0) keys.delete(value);
      }
      for (const value of to) addTo(keys, value, key);
    }
  };

  const create = (key: string, object: O, inInitialList: boolean): void => {
    file(key, undefined, object);
    objects.set(key, object);
    publish({ type: "create", object, inInitialList });
  };
  const update = (key: string, oldObject: O, object: O): void => {
    file(key, oldObject, object);
    objects.set(key, object);
    publish({ type: "update", oldObject, object });
  };
  const remove = (key: string, old: O, last: O, stateUnknown: boolean): void => {
    file(key, old, undefined);
    objects.delete(key);
    publish({ type: "delete", object: last, stateUnknown });
  };

  return {
    get size() {
      return objects.size;
    },
    get(key): O | undefined {
      const object = objects.get(key);
      return object === undefined ? undefined : frozen(object);
    },
    peek: (key) => objects.get(key),
    values: () => objects.values(),
    list(index): readonly O[] | undefined {
      if (index === undefined) return Array.from(objects.values(), frozen);
      const keys = indexes.get(index[0])?.keys;
      if (keys === undefined) return undefined;
      const listed: O[] = [];
      for (const key of keys.get(index[1]) ?? []) {
        const object = objects.get(key);
        if (object !== undefined) listed.push(frozen(object));
      }
      return listed;
    },
    indexedUnder: (name, object) => indexes.get(name)?.valuesOf(object),
    addIndex(name, valuesOf): boolean {
      const known = indexes.get(name);
      if (known !== undefined) return known.valuesOf === valuesOf;
      const keys = new Map<string, Set<string>>();
      for (const [key, object] of objects) {
        for (const value of valuesOf(frozen(object))) addTo(keys, value, key);
      }
      indexes.set(name, { valuesOf, keys });
      return true;
    },
    replace(listed, { newEpoch, initial }): void {
      const incoming = new Map<string, O>();
      for (const object of listed) incoming.set(formatKey(object.metadata), object);
      for (const [key, old] of objects) {
        if (!incoming.has(key)) remove(key, old, old, true);
      }
      for (const [key, object] of incoming) {
        const old = objects.get(key);
        if (old === undefined) create(key, object, initial);
        else if (old.metadata.uid !== object.metadata.uid) {
          remove(key, old, old, true);
          create(key, object, initial);
        } else if (
          old.metadata.resourceVersion !== object.metadata.resourceVersion ||
          (newEpoch && !isEqual(old, object))
        ) {
          update(key, old, object);
        }
      }
    },
    put(object): void {
      const key = formatKey(object.metadata);
      const old = objects.get(key);
      if (old === undefined) {
        create(key, object, false);
        return;
      }
      const order = compareVersions(object.metadata.resourceVersion, old.metadata.resourceVersion);
      if (order !== undefined && order < 0) return;
      if (old.metadata.uid !== object.metadata.uid) {
        remove(key, old, old, true);
        create(key, object, false);
      } else if (order !== 0) update(key, old, object);
    },
    remove(object): void {
      const key = formatKey(object.metadata);
      const old = objects.get(key);
      if (old === undefined) return;
      const order = compareVersions(object.metadata.resourceVersion, old.metadata.resourceVersion);
      if (order !== undefined && order < 0) return;
      const isSame = old.metadata.uid === object.metadata.uid;
      remove(key, old, isSame ? object : old, !isSame);
    },
  };
}

function addTo(keys: Map<string, Set<string>>, value: string, key: string): void {
  const filed = keys.get(value);
  if (filed === undefined) keys.set(value, new Set([key]));
  else filed.add(key);
}
