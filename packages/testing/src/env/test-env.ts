import type { ApiServer } from "@farwatch/apiserver";
import type { AnyResource, Clock, ConnectedClient, Duration, Manager, ManagerOptions, Transport } from "farwatch";
import type { LogLine } from "farwatch/doubles";
import type { FaultyTransport } from "../fault/with-faults.ts";
import type { SentRequest } from "./request-log.ts";

export interface TestEnvOptions {
  /**
   * `embedded` (default): an API server in this process, and virtual time. `kube-apiserver`: the real one on loopback,
   * and real time, for the few tests that want to be sure; `advance` waits there. With the controllers of
   * kube-controller-manager where its binary is found beside it.
   */
  readonly server?: "embedded" | "kube-apiserver" | undefined;
  /** Kinds whose CustomResourceDefinitions are there from the start. */
  readonly resources?: readonly AnyResource[] | undefined;
  /**
   * Objects that are there from the start, applied in this order: YAML with one or more documents, Lists, or plain
   * objects.
   */
  readonly manifests?: readonly (string | object)[] | undefined;
  /**
   * Who the managers are for the server: `system:serviceaccount:NAMESPACE:NAME` for a service account of `manifests`,
   * or any other user name. Such a user may do what the bindings of `manifests` allow, and nothing else. Default: the
   * administrator, who may do everything.
   */
  readonly as?: string | undefined;
  /**
   * What happens to a request for which `as` lacks a rule. `refuse` (default): the server's 403 is the answer, and a
   * program may get no further. `collect`: it is carried out as the administrator, and the rule noted, so that one run
   * finds all that are missing.
   */
  readonly missingRules?: "collect" | "refuse" | undefined;
  /** When virtual time begins, RFC 3339; default 2030-01-01T00:00:00Z. */
  readonly now?: string | undefined;
  /**
   * Of everything that is drawn: uids, generated names, jitter, faults. Runs of one seed are alike; a whole number,
   * default 1. Without effect on a real server's uids.
   */
  readonly seed?: number | undefined;
  /** Options of the first replica's manager. */
  readonly manager?: ReplicaOptions | undefined;
}

/**
 * What a manager in a test environment may be given. Client, clock and log are the environment's; leader election and
 * the HTTP server are off unless asked for. `identity` of a leader election is `replica-1`, `replica-2` and so on by
 * default.
 */
export interface ReplicaOptions extends Omit<ManagerOptions, "client" | "clock" | "log"> {
  /**
   * Stands between the client and the faults: for what records, or breaks on purpose, what the program sends and hears.
   */
  readonly transport?: ((transport: Transport) => Transport) | undefined;
  /** Stands between the program and its client. */
  readonly client?: ((client: ConnectedClient) => ConnectedClient) | undefined;
  /** Stands between the program and the environment's clock. */
  readonly clock?: ((clock: Clock) => Clock) | undefined;
}

/** One process of the program under test: a manager, with a client, a transport and a log of its own. */
export interface Replica extends AsyncDisposable {
  /** Has not started: a test adds controllers and runnables to it, then calls `start` of the replica. */
  readonly manager: Manager;
  /** The manager's: struck by faults, and no more than `as` may do. */
  readonly client: ConnectedClient;
  /**
   * `transport.faults` strikes requests between this replica and the server; `transport.strike` ends watches that are
   * open.
   */
  readonly transport: FaultyTransport;
  /** What the manager and what it runs have logged. */
  readonly lines: readonly LogLine[];
  /** What this replica has sent to the server, in order. */
  readonly requests: readonly SentRequest[];
  /**
   * Rules that `as` lacks, in the order in which the server refused for want of them:
   * `{ apiGroups: [""], resources: ["secrets"], verbs: ["list"] } in namespace "default"`. A test of manifests asserts
   * that there are none.
   */
  readonly missingRules: readonly string[];
  /**
   * Starts the manager, and resolves when nothing more happens without time moving. Rejects with what the manager has
   * failed with by then.
   */
  start(): Promise<void>;
  /** How the manager has ended, with its error if it failed; undefined while it runs, and before its start. */
  readonly ended: { readonly error?: unknown } | undefined;
  /**
   * Ends the process as SIGTERM does: lets time pass until the manager has stopped. Rejects with what it failed with.
   */
  stop(): Promise<void>;
  /**
   * Ends the process as SIGKILL does: nothing that it sends from now on arrives, and nobody cares how it ends. No time
   * passes.
   */
  kill(): Promise<void>;
}

/**
 * A Kubernetes API server, a client of its administrator, and a manager to which a test adds what it is about.
 *
 * Time is virtual: it stands still until `advance` moves it. `advance` runs the timers that come due, one by one, and
 * lets everything that each of them caused come to rest before the next. A day of an operator takes seconds, and is the
 * same every time. What is not on the environment's clock must be told to it: `clock.outside(promise)` for files, child
 * processes and other waits.
 *
 * What a Replica has is here that of the first one; but `client` is the administrator's, and `missingRules` are those
 * of all replicas.
 *
 * Disposal stops every replica and the server. It rejects when a manager failed and nobody has looked at `ended`,
 * `start` or `stop`; with an AggregateError when several did. `withTestEnv` tells of a test's failure besides.
 */
export interface TestEnv extends Replica {
  /** The administrator's. It reads from the server, never from a cache, and no fault strikes it. */
  readonly client: ConnectedClient;
  /** Give it to whatever of yours has a notion of time. */
  readonly clock: Clock;
  /**
   * The embedded server: `state` and `restore`, `compact`, `closeWatches`. @throws CodedError `NotFound` when the
   * server is a kube-apiserver.
   */
  readonly server: ApiServer;
  /** Moves time on. In real time: waits, for a minute at most. */
  advance(duration: Duration): Promise<void>;
  /**
   * Resolves when nothing more happens without time moving: no request is under way, and no task can run. In real time:
   * when no replica has sent anything for a moment.
   */
  settle(): Promise<void>;
  /**
   * Moves the wall clock alone, by milliseconds, below 0 back, as an administrator or NTP would: timers do not notice.
   * Virtual time only. @throws CodedError `InvalidOption` for what is no such number.
   */
  jump(byMs: number): void;
  /** Makes another process of the same program, with a manager of its own that has not started. */
  replica(options?: ReplicaOptions): Replica;
  /** Creates or changes objects as the administrator, as `manifests` does. */
  apply(...manifests: readonly (string | object)[]): Promise<void>;
  /**
   * The path of the administrator's kubeconfig, for kubectl and other programs. The embedded server opens a socket on
   * loopback when it is first called. Other programs live in real time: use them between calls of `advance`.
   */
  kubeconfig(): Promise<string>;
}
