import type { Cache, InformerOptions } from "../cache/cache.ts";
import type { Client } from "../client/client.ts";
import type { ConnectedClient } from "../client/connected-client.ts";
import type { Clock } from "../clock/clock.ts";
import type { Duration } from "../clock/duration.ts";
import type { Controller } from "../controller/controller.ts";
import type { IngressOptions } from "../ingress/ingress-options.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { AnyResource } from "../resource/resource.ts";
import type { LeaderRunnable, ReplicaRunnable, Runnable } from "./runnable.ts";

/** Lease-based leader election; the defaults are controller-runtime's. */
export interface LeaderElectionOptions {
  /** The name of the Lease; everyone who stands for the same lead gives the same. */
  readonly leaseName: string;
  /** Default: the pod's own namespace; required outside a cluster. */
  readonly namespace?: string | undefined;
  /** This candidate's name in the Lease; default: host name and eight random characters. */
  readonly identity?: string | undefined;
  /** How long others wait after the last change of the Lease that they saw; default 15 s. */
  readonly leaseDuration?: Duration | undefined;
  /** The holder stops when it has not renewed for this long; must be below leaseDuration; default 10 s. */
  readonly renewDeadline?: Duration | undefined;
  /** Time between tries; default 2 s. */
  readonly retryPeriod?: Duration | undefined;
  /** Gives the Lease up on stop, so that the next leader need not wait; default true. */
  readonly releaseOnStop?: boolean | undefined;
  /**
   * After a lost Lease: `exit` (default) ends `start()` with `LeadershipLost`; `campaign` stands again once all leader
   * work has ended.
   */
  readonly onLost?: "exit" | "campaign" | undefined;
}

/** One line of healthz or readyz. A check that throws, or takes longer than 2 s, has found a problem. */
export interface HealthCheck {
  /** Lower-case with dashes; shown by name at readyz?verbose. */
  readonly name: string;
  /** false: a problem is shown in the detail, and the answer stays 200; default true. */
  readonly critical?: boolean | undefined;
  /** Undefined when all is well, else a sentence that says what is wrong. */
  check(): string | undefined | Promise<string | undefined>;
}

export interface ManagerOptions {
  /**
   * Default: `createClient()`, which reads the kubeconfig or the pod's service account. A client given here is not
   * closed by the manager.
   */
  readonly client?: ConnectedClient | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Default: JSON lines on standard output, from level info. */
  readonly log?: Logger | undefined;
  /** Default: a registry of its own, with what prom-client knows of this process. */
  readonly metrics?: Metrics | undefined;
  /**
   * false: off, and every replica does all work. Default: on in a cluster, with the name of the first controller as the
   * Lease's or, without controllers, of the first runnable that needs the lead; off elsewhere.
   */
  readonly leaderElection?: LeaderElectionOptions | false | undefined;
  /**
   * Serves /healthz, /livez, /readyz, /metrics and, for this machine alone, /debug/sources; false: off. Default: host
   * 0.0.0.0 and port 8080 in a cluster, off elsewhere. `port: 0`: a free one.
   */
  readonly http?: { readonly host?: string; readonly port: number } | false | undefined;
  /** Where webhooks come in; false: off, which is the default. What sources serve there is up to them. */
  readonly ingress?: IngressOptions | false | undefined;
  /** How long controllers, sources and runnables may take to end once they were asked to; default 30 s. */
  readonly gracefulShutdownTimeout?: Duration | undefined;
  /**
   * How kinds are cached for reads and for controllers; a kind that is not named here is cached whole. One entry a
   * kind.
   */
  readonly cache?: readonly { readonly resource: AnyResource; readonly options: InformerOptions }[] | undefined;
}

/** Whether this replica leads. Without leader election it does from `start` until it stops. */
export interface Leadership {
  readonly isLeader: boolean;
  /**
   * The state now, then changes; a reader that falls behind gets the newest state alone. Ends, without error, when the
   * signal aborts.
   */
  changes(signal: AbortSignal): AsyncIterable<boolean>;
}

/**
 * Starts, stops and watches over controllers and runnables.
 *
 * `start` resolves when everything it started has stopped, which is after `signal` aborts. It rejects with
 * `ShutdownTimeout` (naming what still runs), `LeadershipLost`, or the first error of a runnable. Disposal stops it as
 * the signal does and resolves when `start` has ended; then it closes the client, if the manager made it. What was
 * disposed of starts nothing.
 */
export interface Manager extends AsyncDisposable {
  /** Not fenced: for work that every replica may do. */
  readonly client: Client;
  readonly cache: Cache;
  readonly metrics: Metrics;
  readonly leadership: Leadership;
  /** Where health and metrics are served, once started; undefined when off. */
  readonly address: { readonly host: string; readonly port: number } | undefined;
  /** Where webhooks come in, once started; undefined when off. */
  readonly ingressAddress: { readonly host: string; readonly port: number } | undefined;
  /**
   * Adds work. What controllers watch is buffered from here on. Before the start it waits for that; while the manager
   * runs it is started at once, work for the leader if this replica leads, within its term.
   *
   * @throws CodedError `DuplicateName` when a controller or runnable has that name, or another source one that it
   *   watches; `AlreadyStarted` once the manager stops; `InvalidOption` for what is no work, for a webhook without
   *   `ManagerOptions.ingress`, and for work of the leader when the manager started in a cluster without work and so
   *   without an election: give `leaderElection` then.
   */
  add(work: ReplicaRunnable): this;
  add(work: LeaderRunnable): this;
  add(work: Controller | Runnable): this;
  /**
   * Stops what was added, at any time, and takes it away: resolves when it has ended, events and requests that were not
   * worked on were given back to their sources, sources that nobody else watches are closed, and informers that nobody
   * else holds are stopped. Then its name is free. Rejects with what it throws on its way out, which stops nothing
   * else.
   *
   * @throws CodedError `NotFound` when this manager does not have it; `ShutdownTimeout` when it goes on after
   *   `gracefulShutdownTimeout`: it leaves once it has ended, and a further call waits for that.
   */
  remove(work: Controller | Runnable): Promise<void>;
  /** Adds a check to healthz and livez, or to readyz; at any time. */
  addHealthCheck(kind: "healthz" | "readyz", check: HealthCheck): this;
  /** To be called once. @throws CodedError `AlreadyStarted` when it was called before; see above for how it ends. */
  start(options: { readonly signal: AbortSignal }): Promise<void>;
}
