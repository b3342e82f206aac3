import type { Client, LeaderClient } from "../client/client.ts";
import type { Context } from "../source/source.ts";

/** What a runnable is given. */
export interface RunnableContext<C extends Client> extends Context {
  /** Reads from the cache, and its own writes; writes under the runnable's name. */
  readonly client: C;
}

/**
 * Work on the leader alone: its client is fenced. `start` goes on until `ctx.signal` aborts, or returns when the work
 * is done; with `onLost: "campaign"` it is called again for each term. A throw stops the manager.
 */
export interface LeaderRunnable {
  readonly name: string;
  readonly needLeaderElection?: true | undefined;
  start(ctx: RunnableContext<LeaderClient>): Promise<void>;
}

/** Work on every replica. `start` as of a LeaderRunnable, called once. */
export interface ReplicaRunnable {
  readonly name: string;
  readonly needLeaderElection: false;
  start(ctx: RunnableContext<Client>): Promise<void>;
}

/** Work of your own that a manager starts and stops. */
export type Runnable = LeaderRunnable | ReplicaRunnable;
