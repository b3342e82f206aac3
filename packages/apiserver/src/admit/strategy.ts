import type { FieldError } from "../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";

/** What a strategy may ask while it works on one request. */
export interface StrategyContext {
  /** `status`, `scale` …, or undefined for the object itself. */
  readonly subresource: string | undefined;
  /** RFC 3339 with whole seconds: the time of the request. */
  readonly now: string;
  /** A fresh random (version 4) UUID, from the server's seeded source where it has one. */
  uuid(): string;
}

/**
 * What is particular to one kind, in the terms of the real server's registry strategies. All of it is pure but `apply…`
 * and `prepare…`, which change the draft in place. Unknown fields and the schema's own defaults are done elsewhere;
 * `beforeCreate` and `beforeUpdate` call the rest in the order of the real server.
 */
export interface Strategy {
  /**
   * Sets what the API's defaulting sets and no schema can say, on every write of a body: `spec.selector` from the
   * template's labels.
   */
  readonly applyDefaults?: (object: DraftObject) => void;
  /**
   * Drops what a client may not set at creation (status), sets what the server gives (`spec.clusterIP`) and the first
   * generation.
   */
  readonly prepareForCreate?: (object: DraftObject, context: StrategyContext) => void;
  /** Takes from the old object what this write may not change, and counts the generation. */
  readonly prepareForUpdate?: (object: DraftObject, old: StoredObject, context: StrategyContext) => void;
  /** All that is wrong with a new object, its metadata by the kind's own rule for names included. */
  readonly validate?: (object: DraftObject, context: StrategyContext) => readonly FieldError[];
  /** All that is wrong with an update, beside what `validateMeta` and `validateMetaUpdate` say of every kind. */
  readonly validateUpdate?: (object: DraftObject, old: StoredObject, context: StrategyContext) => readonly FieldError[];
  /** Sent as Warning headers; `old` is absent at creation. */
  readonly warnings?: (object: DraftObject, old?: StoredObject) => readonly string[];
  /** What readers see of a stored object (the store's Decorator): the very object where nothing is hidden. */
  readonly shown?: (object: StoredObject) => StoredObject;
  /** True: PUT of an object that is not there creates it (AllowCreateOnUpdate: Lease, Event, Service …). */
  readonly allowCreateOnUpdate?: boolean;
  /**
   * True: an update without resourceVersion is taken as it comes (AllowUnconditionalUpdate); custom resources are
   * false.
   */
  readonly allowUnconditionalUpdate?: boolean;
}
