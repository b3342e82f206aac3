import type { AnyResource, Resource } from "../resource/resource.ts";
import type { LabelMap } from "../wire/label-selector.ts";
import type { KubeObject, ObjectKey } from "../wire/object.ts";

/** A value of which any part may be given; null removes a field in a merge patch. */
export type DeepPartial<T> = T extends readonly (infer E)[]
  ? readonly E[]
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> | null }
    : T;

/** What every call takes. */
export interface CallOptions {
  /** Ends the wait; the call then rejects with its reason. What was sent may have been done all the same. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads come from the cache; `live` asks the server. A client without a cache (createClient) always asks the server.
 */
export interface ReadOptions extends CallOptions {
  readonly live?: boolean | undefined;
}

/** Selects by labels: equality as a map, or any selector text (`app in (a, b), !legacy`). */
export type LabelSelector = LabelMap | string;

export interface ListOptions extends ReadOptions {
  /** Only this namespace; default: all. */
  readonly namespace?: string | undefined;
  readonly labels?: LabelSelector | undefined;
  /** A field selector, `metadata.name=a`. Cached reads know metadata.name and metadata.namespace alone. */
  readonly fields?: string | undefined;
  /** Only objects that this index of the cache, made with `indexes`, files under this value. */
  readonly index?: readonly [name: string, value: string] | undefined;
  /** Objects a page of a live list; default 500. All pages are read, from one consistent version. */
  readonly pageSize?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Writes whatever version the server has now, where by default the version that was read is carried along. */
  readonly unconditional?: boolean | undefined;
  /** The server answers as if it had written, and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Names who owns the fields in managedFields; default: the controller's name, or `farwatch`. */
  readonly fieldManager?: string | undefined;
  /** What the server does with unknown and duplicate fields; default `Strict`. Warnings are logged. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
  /** A subresource other than the object itself: `scale`, `approval`. Status has methods of its own. */
  readonly subresource?: string | undefined;
}

export interface ApplyOptions extends WriteOptions {
  /**
   * Takes fields over from other managers; default true for a controller's own fields, as controller authors expect.
   */
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends CallOptions {
  /** Deletes only the object with this uid or version; otherwise `Conflict`. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  /** What becomes of what it owns; default: what the kind has, `Background` for most. */
  readonly propagation?: "Background" | "Foreground" | "Orphan" | undefined;
  /** How long a pod may take to stop; default: what it says itself. */
  readonly gracePeriodSeconds?: number | undefined;
  /** The server answers as if it had deleted, and deletes nothing. */
  readonly dryRun?: boolean | undefined;
}

/** One operation of RFC 6902. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/** Reads of Kubernetes objects. Every method rejects with the reason of its signal. */
export interface Reader {
  /**
   * @throws StatusError `NotFound` when there is no such object; `NotCached` when the kind is not cached and `live` is
   * not set.
   */
  get<O extends KubeObject>(resource: Resource<O>, key: ObjectKey, options?: ReadOptions): Promise<O>;
  /** Undefined when there is no such object. */
  find<O extends KubeObject>(resource: Resource<O>, key: ObjectKey, options?: ReadOptions): Promise<O | undefined>;
  /**
   * All objects that are selected, in no promised order.
   *
   * @throws CodedError `InvalidSelector`; `InvalidOption` for an index that there is none of, and with `live` for any.
   */
  list<O extends KubeObject>(resource: Resource<O>, options?: ListOptions): Promise<readonly O[]>;
}

/**
 * Reads and writes Kubernetes objects. Every refusal of the server is a StatusError with the code of its reason. Writes
 * of an object that was read carry its resourceVersion, so that they cannot overwrite what was not seen; a write that
 * would change nothing is not sent, and gives the object back.
 */
export interface Client extends Reader {
  /**
   * Creates an object, and gives it as the server stored it. @throws StatusError `AlreadyExists`, `Invalid`, `NotFound`
   * for a namespace or kind that is not there.
   */
  create<O extends KubeObject, I>(resource: Resource<O, I>, input: NoInfer<I>, options?: WriteOptions): Promise<O>;
  /** Server-side apply; creates the object when there is none. */
  apply<O extends KubeObject, I>(
    resource: Resource<O, I>,
    input: DeepPartial<NoInfer<I>> & { readonly metadata: ObjectKey },
    options?: ApplyOptions,
  ): Promise<O>;
  /**
   * Replaces the whole object (PUT). @throws StatusError `Conflict` when it has changed; CodedError `MissingVersion`,
   * `UnknownKind`, as all that take an object.
   */
  update<O extends KubeObject>(object: O, options?: WriteOptions): Promise<O>;
  /** Replaces the status of the object (PUT on the status subresource). */
  updateStatus<O extends KubeObject>(object: O, options?: WriteOptions): Promise<O>;
  /** A merge patch (RFC 7386) as an object, or a JSON patch (RFC 6902) as a list of operations. */
  patch<O extends KubeObject>(
    object: O,
    change: DeepPartial<O> | readonly JsonPatchOperation[],
    options?: WriteOptions,
  ): Promise<O>;
  /**
   * Merge patch of scalars on the status subresource. On a 409 one live read decides: same uid and generation, the
   * patch is sent once more with the new version; gone, another uid or another generation: StatusError `Conflict` (or
   * `NotFound`).
   */
  patchStatus<O extends KubeObject & { readonly status?: unknown }>(
    object: O,
    status: DeepPartial<NonNullable<O["status"]>>,
    options?: WriteOptions,
  ): Promise<O>;
  /** Server-side apply on the status subresource, for lists with owners, such as conditions. Forces its own fields. */
  applyStatus<O extends KubeObject & { readonly status?: unknown }>(
    object: O,
    status: DeepPartial<NonNullable<O["status"]>>,
    options?: WriteOptions,
  ): Promise<O>;
  /** Not found is no error: false. True when the server deleted the object or marked it for deletion. */
  delete(resource: AnyResource, key: ObjectKey, options?: DeleteOptions): Promise<boolean>;
  /**
   * Deletes all objects that are selected: without a selector, all of the namespace. A namespaced kind must be given
   * one.
   */
  deleteCollection(
    resource: AnyResource,
    options?: DeleteOptions & Pick<ListOptions, "namespace" | "labels" | "fields">,
  ): Promise<void>;
}

declare const fenced: unique symbol;

/**
 * The client of work that only the leader may do: every write is checked against the lease in the tick in which it is
 * handed to the socket, and rejects with `NotLeader` once the lease may have been lost. See `needLeaderElection`.
 */
export interface LeaderClient extends Client {
  /** Exists for the compiler alone: what must have a fenced client cannot be given a plain one. */
  readonly [fenced]: true;
}
