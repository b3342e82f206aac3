import { CodedError } from "farwatch";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { type Collection, createCollection } from "./collection.ts";
import type { Change, Journal, Store, StoreListener, StoreState } from "./store.ts";
import { checkState, StateProblem } from "./store-state.ts";

export interface StoreOptions {
  readonly journal?: Journal | undefined;
  /**
   * Changes that are kept for watches and for lists of older versions; default 20,000. The oldest tenth goes at a time.
   */
  readonly historyLimit?: number | undefined;
}

const defaultHistoryLimit = 20_000;

export function createStore(options: StoreOptions = {}): Store {
  const { journal, historyLimit = defaultHistoryLimit } = options;
  const collections = new Map<string, Collection>();
  const history: Change[] = [];
  const listeners = new Map<string | undefined, Set<StoreListener>>();
  let version = 1;
  let compacted = 0;
  let epoch = 0;

  const collectionOf = (resource: string): Collection => {
    let collection = collections.get(resource);
    if (collection === undefined) {
      collection = createCollection();
      collections.set(resource, collection);
    }
    return collection;
  };

  const load = (state: StoreState): void => {
    collections.clear();
    history.length = 0;
    for (const { resource, key, object } of state.objects) collectionOf(resource).set(key, object);
    version = state.version;
    compacted = state.version;
  };

  const compact = (upTo: number): void => {
    const kept = history.findIndex((change) => change.version > upTo);
    history.splice(0, kept === -1 ? history.length : kept);
    compacted = Math.max(compacted, Math.min(upTo, version));
  };

  const tell = (resource: string | undefined, change: Change): void => {
    for (const listener of listeners.get(resource) ?? []) listener(change);
  };

  const commit = (change: Change): StoredObject => {
    journal?.record(change);
    version = change.version;
    const collection = collectionOf(change.resource);
    if (change.type === "DELETED") collection.delete(change.key);
    else collection.set(change.key, change.object);
    history.push(change);
    if (history.length > historyLimit) {
      compact((history[Math.floor(historyLimit / 10)] as Change).version);
    }
    tell(change.resource, change);
    tell(undefined, change);
    return change.object;
  };

  const existing = (resource: string, key: string): StoredObject => {
    const object = collections.get(resource)?.get(key);
    if (object !== undefined) return object;
    throw new CodedError("NotFound", `Cannot change ${resource} ${key} in the store: there is none`);
  };

  const stamped = (draft: DraftObject, at: number): StoredObject => {
    draft.metadata.resourceVersion = String(at);
    return draft as StoredObject;
  };

  if (journal !== undefined) {
    try {
      load(journal.load());
    } catch (error) {
      // The file is free again for whoever mends it.
      journal[Symbol.dispose]();
      throw error;
    }
  }

  return {
    get version() {
      return version;
    },
    get compacted() {
      return compacted;
    },
    get epoch() {
      return epoch;
    },
    get: (resource, key) => collections.get(resource)?.get(key),
    *list(resource, from = ""): Generator<StoredObject, void, undefined> {
      const collection = collections.get(resource);
      if (collection === undefined) return;
      for (const key of collection.keysFrom(from)) yield collection.get(key) as StoredObject;
    },
    count: (resource) => collections.get(resource)?.size ?? 0,
    listAt(resource, at): readonly StoredObject[] {
      const collection = collectionOf(resource);
      const then = createCollection();
      for (const key of collection.keysFrom("")) then.set(key, collection.get(key) as StoredObject);
      for (let index = history.length - 1; index >= 0; index -= 1) {
        const change = history[index] as Change;
        if (change.version <= at) break;
        if (change.resource !== resource) continue;
        if (change.old === undefined) then.delete(change.key);
        else then.set(change.key, change.old);
      }
      return [...then.keysFrom("")].map((key) => then.get(key) as StoredObject);
    },
    create(resource, key, draft): StoredObject {
      if (collections.get(resource)?.get(key) !== undefined) {
        throw new CodedError("AlreadyExists", `Cannot create ${resource} ${key} in the store: there is one`);
      }
      const next = version + 1;
      return commit({ version: next, resource, key, type: "ADDED", object: stamped(draft, next), old: undefined });
    },
    replace(resource, key, draft): StoredObject {
      const old = existing(resource, key);
      const next = version + 1;
      return commit({ version: next, resource, key, type: "MODIFIED", object: stamped(draft, next), old });
    },
    remove(resource, key): StoredObject {
      const old = existing(resource, key);
      const next = version + 1;
      const object = { ...old, metadata: { ...old.metadata, resourceVersion: String(next) } };
      return commit({ version: next, resource, key, type: "DELETED", object, old });
    },
    watch(resource, after, listener): Disposable {
      for (const change of changesAfter(history, after)) {
        if (resource === undefined || change.resource === resource) listener(change);
      }
      const set = listeners.get(resource) ?? new Set();
      listeners.set(resource, set.add(listener));
      return {
        [Symbol.dispose](): void {
          set.delete(listener);
        },
      };
    },
    compact: (upTo = version) => compact(upTo),
    state(): StoreState {
      const objects = [...collections].flatMap(([resource, collection]) =>
        [...collection.keysFrom("")].map((key) => ({ resource, key, object: collection.get(key) as StoredObject })),
      );
      return { version, objects };
    },
    restore(state): void {
      checkGiven(state);
      journal?.reset(state);
      epoch += 1;
      load(state);
    },
    [Symbol.dispose](): void {
      listeners.clear();
      journal?.[Symbol.dispose]();
    },
  };
}

function checkGiven(state: StoreState): void {
  try {
    checkState(state);
  } catch (cause) {
    if (!(cause instanceof StateProblem)) throw cause;
    throw new CodedError("InvalidOption", `Cannot restore the state: ${cause.message}; give what state() gave`, {
      cause,
    });
  }
}

/** The changes after a version, found by halving. */
function changesAfter(history: readonly Change[], after: number): readonly Change[] {
  let low = 0;
  let high = history.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((history[middle] as Change).version <= after) low = middle + 1;
    else high = middle;
  }
  return low === history.length ? [] : history.slice(low);
}
