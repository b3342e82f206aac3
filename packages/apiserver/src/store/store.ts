import type { DraftObject, StoredObject } from "../registry/api-object.ts";

/** One write that changed something. */
export interface Change {
  /** Of the whole store: every change has its own, and later ones have greater ones. */
  readonly version: number;
  /** `apps/deployments`: see `resourceId`. */
  readonly resource: string;
  readonly key: string;
  readonly type: "ADDED" | "DELETED" | "MODIFIED";
  /** As it is now; of a DELETED its last state, with the version of the deletion. */
  readonly object: StoredObject;
  /** As it was before; absent for ADDED. */
  readonly old: StoredObject | undefined;
}

/** Everything that the store holds at one version, history aside; JSON. */
export interface StoreState {
  readonly version: number;
  readonly objects: readonly { readonly resource: string; readonly key: string; readonly object: StoredObject }[];
}

/** Where changes are kept beyond the process. Called in the tick of the change; a throw refuses the change. */
export interface Journal extends Disposable {
  /** What was kept when the journal was opened. */
  load(): StoreState;
  record(change: Pick<Change, "key" | "object" | "resource" | "type" | "version">): void;
  /** Replaces everything. */
  reset(state: StoreState): void;
}

/** An event of a watch: a change, or the end of this store's line of versions, after which the watch hears no more. */
export type StoreListener = (change: Change) => void;

/**
 * Objects by resource and key, with one line of versions, and the changes that led there as far back as they are kept.
 * All of it is synchronous: a write is seen by every reader and every listener in its tick, in order.
 */
export interface Store extends Disposable {
  /** The version of the newest change; decimal, and never 0. */
  readonly version: number;
  /** Changes up to this one are forgotten: a list at, or a watch from, a version before it is expired. */
  readonly compacted: number;
  /** Bumped by `restore`, so that whoever holds versions of before can tell. */
  readonly epoch: number;
  get(resource: string, key: string): StoredObject | undefined;
  /** Objects in the order of their keys, beginning with the first key that is not before `from`. */
  list(resource: string, from?: string): Iterable<StoredObject>;
  count(resource: string): number;
  /** The objects as they were at a version that is not compacted, in order. */
  listAt(resource: string, version: number): readonly StoredObject[];
  /**
   * Sets `metadata.resourceVersion` of the draft, which then belongs to the store. The key must be free, or taken, as
   * the name says.
   */
  create(resource: string, key: string, draft: DraftObject): StoredObject;
  replace(resource: string, key: string, draft: DraftObject): StoredObject;
  /** Gives the object as the DELETED event shows it: its last state with the version of the deletion. */
  remove(resource: string, key: string): StoredObject;
  /**
   * Calls the listener with each change of a resource after `after` that is kept, now, and with each later one in its
   * tick; all resources when none is named. Dispose to stop.
   */
  watch(resource: string | undefined, after: number, listener: StoreListener): Disposable;
  /** Forgets changes up to a version, by default all. */
  compact(version?: number): void;
  state(): StoreState;
  /**
   * Goes to another state, as a server that was restored from a backup does; versions may go back. Nothing is told to
   * listeners.
   *
   * @throws CodedError `InvalidOption` for what no store gives; then the state stays as it is.
   */
  restore(state: StoreState): void;
}

/**
 * The name of a resource in the store: `apps/deployments`, `/configmaps`. Kinds that are stored as another one share
 * its name.
 */
export function resourceId(kind: {
  readonly group: string;
  readonly plural: string;
  readonly storedAs?: { readonly group: string } | undefined;
}): string {
  return `${kind.storedAs?.group ?? kind.group}/${kind.plural}`;
}
