import type { LabelSelector, Reader } from "../client/client.ts";
import type { ObjectEvent } from "../event/source-event.ts";
import type { AnyResource, Resource } from "../resource/resource.ts";
import type { KubeObject, ObjectKey } from "../wire/object.ts";

/** Why a cache is not in step with the server; texts for a person, without secrets. */
export interface SyncProblem {
  /** `CrdMissing`, `Forbidden`, `Unreachable`, `Unauthorized`, `Other`. */
  readonly reason: "CrdMissing" | "Forbidden" | "Unauthorized" | "Unreachable" | "Other";
  /** Names the kind and what to do: the CRD to install, the RBAC rule to add. */
  readonly message: string;
  /** Attempts that failed in a row. */
  readonly attempts: number;
}

export interface SyncState {
  /** True once a whole list was seen; stays true through reconnects. */
  readonly synced: boolean;
  /**
   * `syncing`, `watching`, `stale` (no sign of life within the silence deadline), `failing` (backing off), `stopped`.
   */
  readonly phase: "syncing" | "watching" | "stale" | "failing" | "stopped";
  readonly problem?: SyncProblem | undefined;
}

/** Files an object under values, for `list(…, { index: [name, value] })`. */
export type IndexFunctions<O> = Readonly<Record<string, (object: O) => readonly string[]>>;

export interface InformerOptions<O extends KubeObject = KubeObject> {
  readonly namespace?: string | undefined;
  readonly labels?: LabelSelector | undefined;
  readonly fields?: string | undefined;
  /** Only metadata is fetched and kept (PartialObjectMetadata). */
  readonly metadataOnly?: boolean | undefined;
  readonly indexes?: IndexFunctions<O> | undefined;
  /**
   * Changes an object before it is stored, say to drop what nobody reads; managedFields are gone already. Must not keep
   * the argument, nor change namespace, name, uid or resourceVersion.
   */
  readonly transform?: ((object: O) => O) | undefined;
}

/** One list and watch of a resource and selector, shared by everyone who asks for the same. */
export interface Informer<O extends KubeObject = KubeObject> {
  readonly resource: Resource<O>;
  readonly state: SyncState;
  /** Resolves when a whole list was seen; rejects with the signal's reason. */
  synced(signal: AbortSignal): Promise<void>;
  /** The frozen object, by key. */
  get(key: ObjectKey): O | undefined;
  list(options?: {
    readonly namespace?: string;
    readonly labels?: LabelSelector;
    readonly index?: readonly [string, string];
  }): readonly O[];
  readonly size: number;
  /**
   * What happens from now on, after one create (`inInitialList`) for each object known at the time. Never holds the
   * reflector up: while the reader is slow, pending events of one object merge into one. Ends without error when the
   * signal aborts or the informer stops.
   */
  events(signal: AbortSignal): AsyncIterable<ObjectEvent<O>>;
}

/**
 * The declared kinds, and reads from them. A read of a kind that is not synced yet waits until it is, or until its own
 * signal aborts, so that nobody takes an empty cache for an empty cluster; when the cache stops first it rejects with
 * `CacheNotSynced`. What is read is frozen. A read of a kind that is not declared rejects with `NotCached`.
 */
export interface Cache extends Reader {
  /**
   * Declares a kind, and gives its one informer, which lists and watches from when the cache is started; declared
   * later, at once. Without options that is how the kind is cached, and what reads of it are answered from; with
   * options it is one for whoever asks for the same. Dispose of it: an informer that nobody holds any more is stopped.
   *
   * @throws CodedError `DuplicateName` when an index function differs from the one of that name; `InvalidOption` for a
   *   namespace that cannot be one; `InvalidSelector`.
   */
  informer<O extends KubeObject>(resource: Resource<O>, options?: InformerOptions<O>): Informer<O> & Disposable;
  /** The kinds that were declared and how they are. */
  readonly informers: readonly Informer[];
  /**
   * The kinds that are not in step with the server (not synced yet, stale, failing), and why; empty when all is well.
   */
  readonly problems: readonly { readonly resource: AnyResource; readonly state: SyncState }[];
  /** Resolves when every declared kind is synced; rejects with the signal's reason. */
  synced(signal: AbortSignal): Promise<void>;
  /**
   * Lists and watches until the signal aborts; resolves when every stream is closed. While it runs, a second call
   * changes nothing.
   */
  start(signal: AbortSignal): Promise<void>;
}
