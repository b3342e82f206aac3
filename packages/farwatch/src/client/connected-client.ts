import type { AnyResource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import type { Client, LeaderClient, Reader } from "./client.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import type { RestClient } from "./rest-client.ts";

/** Says whether the leader may still write. */
export interface Fence {
  /** Aborts when the lease is lost or may have been: whatever is under way ends. */
  readonly signal: AbortSignal;
  /** Called in the tick of each write. @throws CodedError `NotLeader`. */
  check(): void;
}

/** How a view of a client differs from the client it is made from. */
export interface ClientView {
  /** Where reads without `live` go; default: to the server. */
  readonly reads?: Reader | undefined;
  /**
   * The state of an object that `reads` has now, without waiting, and whole: not of metadata alone, not transformed
   * beyond its managedFields. Lets `update` and `updateStatus` see that nothing would change; without it they are
   * always sent.
   */
  readonly known?: ((object: KubeObject) => KubeObject | undefined) | undefined;
  /**
   * Told of each object as the server answered it to a write, and of each deletion (`deleted`). Where the server
   * answers a deletion without the object, it has apiVersion, kind, name, namespace and uid alone, and an empty
   * resourceVersion. Not told of dry runs, nor of writes to a subresource that has a kind of its own.
   */
  readonly onWrite?: ((object: KubeObject, change: "written" | "deleted") => void) | undefined;
  readonly fence?: Fence | undefined;
  readonly fieldManager?: string | undefined;
  /** Kinds whose objects it may be given to write, though none of them was read; all views know them from then on. */
  readonly resources?: readonly AnyResource[] | undefined;
  /** Status writes tell which `farwatch.dev/requested-at` they answer; default false. */
  readonly notesRequests?: boolean | undefined;
}

/**
 * A client with its connection: `createClient` makes it, and whoever made it disposes of it. Views share its connection
 * and its registry of kinds.
 */
export interface ConnectedClient extends Client, AsyncDisposable {
  readonly rest: RestClient;
  /** Resolves once the configuration was read. */
  config(): Promise<ClusterConfig>;
  view(options: ClientView): LeaderClient;
}
