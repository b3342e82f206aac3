import type { Client, LeaderClient } from "../client/client.ts";
import type { Context } from "../source/source.ts";

export interface RunnableContext<C extends Client> extends Context {
  readonly client: C;
}

/** Work on the leader alone: its client is fenced. `start` blocks until `ctx.signal` aborts. */
export interface LeaderRunnable {
  readonly name: string;
  readonly needLeaderElection?: true | undefined;
  start(ctx: RunnableContext<LeaderClient>): Promise<void>;
}

/** Work on every replica. */
export interface ReplicaRunnable {
  readonly name: string;
  readonly needLeaderElection: false;
  start(ctx: RunnableContext<Client>): Promise<void>;
}

export type Runnable = LeaderRunnable | ReplicaRunnable;
