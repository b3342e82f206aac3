import type { ApiServer } from "@farwatch/apiserver";
import type { AnyResource, Clock, ConnectedClient, Duration, Manager, ManagerOptions, Transport } from "farwatch";
import type { LogLine } from "farwatch/doubles";
import type { FaultyTransport } from "../fault/with-faults.ts";

export interface TestEnvOptions {
  /**
   * `embedded` (default): an API server in the process, and virtual time. `kube-apiserver`: the real one on loopback, and real
   * time, for the few tests that want to be sure; `advance` waits there.
   */
  readonly server?: "embedded" | "kube-apiserver" | undefined;
  /** Kinds whose CRDs are there from the start, and that the client may be given to write. */
  readonly resources?: readonly AnyResource[] | undefined;
  /** Objects that are there from the start, in this order: YAML with one or more documents, or plain objects. */
  readonly manifests?: readonly (string | object)[] | undefined;
  /**
   * Who the managers are: `system:serviceaccount:NAMESPACE:NAME` for a service account of the manifests, or another name, which has the rights
   * that bindings give it. Default: the administrator. With it a test finds the rule that an operator's manifests lack.
   */
  readonly as?: string | undefined;
  /** When virtual time begins, RFC 3339; default 2030-01-01T00:00:00Z. */
  readonly now?: string | undefined;
  /** Of uids, generated names and the draws of faults: runs of one seed are alike; default 1. */
  readonly seed?: number | undefined;
  /** For the first replica; leader election is off by default. */
  readonly manager?: ReplicaOptions | undefined;
}

/** What a manager in a test environment may be given; client and server are the environment's. */
export interface ReplicaOptions extends Omit<ManagerOptions, "client" | "clock"> {
  /** Stands between the client and the faults: records, or breaks on purpose, what the program sends and hears. */
  readonly transport?: ((transport: Transport) => Transport) | undefined;
  /** Stands between the program and the environment's clock. */
  readonly clock?: ((clock: Clock) => Clock) | undefined;
}

/** One process of the program under test: a manager with a client, a transport and a log of its own. */
export interface Replica extends AsyncDisposable {
  readonly manager: Manager;
  readonly client: ConnectedClient;
  /** Where faults strike between this replica and the server. */
  readonly transport: FaultyTransport;
  /** What the manager and what it runs have logged. */
  readonly lines: readonly LogLine[];
  /** Starts the manager; resolves when nothing more happens without time moving. Rejects with what the manager has failed with by then. */
  start(): Promise<void>;
  /** How the manager has ended: undefined while it runs or was not started. */
  readonly ended: { readonly error?: unknown } | undefined;
  /** Asks the manager to stop, gives it its grace, and rejects with what it failed with. */
  stop(): Promise<void>;
}

/**
 * A Kubernetes API server, a client of the administrator, and a manager to which a test adds what it is about.
 *
 * In virtual time nothing moves by itself: `advance` runs the timers that come due, one by one, and lets everything that each
 * of them caused come to rest before the next. A day of an operator takes seconds, and is the same every time.
 *
 * Disposal stops every replica and the server. It rejects when a manager failed and nobody has looked at `ended` or called `stop`.
 */
export interface TestEnv extends Replica {
  /** Reads from the server, writes as the administrator, and is struck by no fault. */
  readonly client: ConnectedClient;
  readonly clock: Clock;
  /** The embedded server: its state, its watches, its history. @throws CodedError `NotFound` when the server is a kube-apiserver. */
  readonly server: ApiServer;
  /** Where the server is reached by others: the first use opens a socket, which is for programs outside of virtual time. */
  url(): Promise<string>;
  /** Moves time on by this much. In real time: waits, at most a minute. */
  advance(duration: Duration): Promise<void>;
  /** Resolves when nothing more happens without time moving: no request is under way, and no task can run. */
  settle(): Promise<void>;
  /** Moves the wall clock alone, as an operator or NTP would. Virtual time only. */
  jump(byMs: number): void;
  /** Another process of the same program, with a manager of its own. */
  replica(options?: ReplicaOptions): Promise<Replica>;
  /** Creates or changes objects as the administrator, as `manifests` does. */
  apply(...manifests: readonly (string | object)[]): Promise<void>;
}
