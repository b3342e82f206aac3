import type { Duration } from "../clock/duration.ts";
import type { SourceEvent } from "../event/source-event.ts";
import type { Predicate } from "../predicate/predicate.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import type { AnyResource, Resource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import type { Watch } from "./watch.ts";

/** An event that its handler failed to map, after the last attempt. */
export interface DeadLetter {
  readonly controller: string;
  readonly source: string;
  readonly event: SourceEvent<unknown>;
  readonly error: unknown;
  readonly attempts: number;
}

/** What a controller reconciles, what wakes it, and within which bounds. */
export interface ControllerOptions<O extends KubeObject> {
  /** Default: the kind in lower case. Unique in a manager; the field manager of its writes. */
  readonly name?: string | undefined;
  /** The kind whose objects it reconciles: each of them at the start, and again whenever it changes. */
  readonly for: Resource<O>;
  /**
   * `spec` drops updates in which only status and bookkeeping changed; default: `spec` for a kind with a status
   * subresource that defineResource made, else `any`.
   */
  readonly wakeOn?: "spec" | "any" | undefined;
  /** Reconciles every object this often, spread by uid; default: never. */
  readonly resync?: Duration | undefined;
  /**
   * Which events of `for` count: all must let one through. Not asked about deletions and their first sign, about runs
   * that were asked for (`farwatch.dev/requested-at`) and pauses, nor about `resync`.
   */
  readonly predicates?: readonly Predicate<NoInfer<O>>[] | undefined;
  /** Kinds whose objects wake the object that controls them. */
  readonly owns?: readonly AnyResource[] | undefined;
  /** What else wakes it: other kinds, and everything outside the cluster. */
  readonly watches?: readonly Watch[] | undefined;
  /** Kinds that the reconciler reads from the cache, beyond those that are watched. */
  readonly caches?: readonly AnyResource[] | undefined;
  /** Reconciles at once; default 1. */
  readonly concurrency?: number | undefined;
  /**
   * Reconciles at once of objects of one namespace; default: as many as `concurrency`. With it namespaces take turns,
   * and lanes and `maxWait` order the requests of each: what one namespace has to wait for makes no other late, as long
   * as fewer than `concurrency` / `namespaceConcurrency` of them do.
   */
  readonly namespaceConcurrency?: number | undefined;
  /** A run's signal aborts after this; default: none. */
  readonly reconcileTimeout?: Duration | undefined;
  /** How long a run may go on after its signal aborted, for the last status write; default 2 s. */
  readonly reconcileGrace?: Duration | undefined;
  /** Failures in a row after which a request is dropped until something changes; default: unlimited. */
  readonly maxAttempts?: number | undefined;
  /** Backoff of failing requests; default 200 ms doubling to 5 min, equal jitter. */
  readonly backoff?: { readonly initial?: Duration | undefined; readonly max?: Duration | undefined } | undefined;
  /** A request that has waited this long goes before younger ones of any lane; default 10 s. */
  readonly maxWait?: Duration | undefined;
  /** A handler that takes longer has failed; default 10 s. */
  readonly handlerTimeout?: Duration | undefined;
  /** Tries of a handler before its event is a dead letter; default 5. */
  readonly handlerAttempts?: number | undefined;
  /**
   * Gets each event that its handler could not map, after the last try. Logged when it throws, or does not end within
   * 30 s; where it does not end before the controller has stopped, the event comes again. Default: it is logged and
   * counted alone.
   */
  readonly onDeadLetter?: ((letter: DeadLetter) => void | Promise<void>) | undefined;
  /** Runs on the leader alone (default), or on every replica. */
  readonly needLeaderElection?: boolean | undefined;
  /** Finalizers that earlier versions set: removed from objects that are being deleted. */
  readonly retiredFinalizers?: readonly string[] | undefined;
  /** Called with one object's key, never twice at once for the same. */
  readonly reconcile: Reconciler;
}

/** A controller as plain data: what it reconciles, and everything that wakes it. Give it to `manager.add`. */
export interface Controller {
  readonly name: string;
  readonly options: ControllerOptions<KubeObject>;
}
