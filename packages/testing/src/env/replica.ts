import {
  type AnyResource,
  type ClusterConfig,
  CodedError,
  type ConnectedClient,
  createClient,
  createManager,
  createMetrics,
  type Manager,
  toMs,
} from "farwatch";
import { createRecordingLogger, type LogLine } from "farwatch/doubles";
import { type FaultyTransport, withFaults } from "../fault/with-faults.ts";
import { type RecordingTransport, recordRequests, type SentRequest } from "./request-log.ts";
import type { Replica, ReplicaOptions } from "./test-env.ts";
import type { TestServer } from "./test-server.ts";
import type { TestTime } from "./test-time.ts";

export interface ReplicaParts {
  readonly server: TestServer;
  readonly time: TestTime;
  /** Who it is for the server. */
  readonly identity: ClusterConfig;
  readonly resources: readonly AnyResource[] | undefined;
  readonly options: ReplicaOptions;
  /** Counted from 1. */
  readonly number: number;
  /** Carries out what the identity may not do; undefined where the server's refusal stands. */
  readonly stepIn: ClusterConfig["credentials"] | undefined;
  /** Of the environment. */
  readonly seed: number;
}

/** What follows a manager's own grace: the last writes, the release of the lease. */
const afterGraceMs = 60_000;

const unchanged = <T>(port: T): T => port;

/** A manager and what stands around it. */
export class TestReplica implements Replica {
  readonly manager: Manager;
  readonly client: ConnectedClient;
  readonly transport: FaultyTransport;
  readonly lines: readonly LogLine[];
  readonly #time: TestTime;
  readonly #sent: RecordingTransport;
  readonly #stopping = new AbortController();
  readonly #graceMs: number;
  #running: Promise<void> | undefined;
  #ended: { readonly error?: unknown } | undefined;
  /** Whether somebody has seen how it ended, or said that it does not matter. */
  #isSeen = false;

  constructor({ server, time, identity, resources, options, number, stepIn, seed }: ReplicaParts) {
    const {
      transport: wrap = unchanged,
      client: wrapClient = unchanged,
      clock: wrapClock = unchanged,
      leaderElection = false,
      ...rest
    } = options;
    const clock = wrapClock(time.clock);
    const log = createRecordingLogger();
    this.#time = time;
    this.#graceMs = toMs(rest.gracefulShutdownTimeout ?? "30s") + afterGraceMs;
    this.lines = log.lines;
    this.transport = withFaults(server.connect(), { clock: time.clock, seed: seed + number });
    this.#sent = recordRequests(wrap(this.transport), { clock: time.clock, stepIn });
    this.client = wrapClient(createClient({ config: identity, transport: this.#sent, clock, resources, log }));
    this.manager = createManager({
      http: false,
      log,
      metrics: createMetrics(),
      ...rest,
      // A name that is the same in every run.
      leaderElection: leaderElection === false ? false : { identity: `replica-${number}`, ...leaderElection },
      client: this.client,
      clock,
    });
  }

  get requests(): readonly SentRequest[] {
    return this.#sent.requests;
  }

  get missingRules(): readonly string[] {
    return this.#sent.missingRules;
  }

  get ended(): { readonly error?: unknown } | undefined {
    if (this.#ended !== undefined) this.#isSeen = true;
    return this.#ended;
  }

  async start(): Promise<void> {
    this.#running = this.manager.start({ signal: this.#stopping.signal }).then(
      () => {
        this.#ended = {};
      },
      (error: unknown) => {
        this.#ended = { error };
      },
    );
    await this.#time.settle();
    this.#throwFailure();
  }

  /** Asks the manager to stop, and waits for nothing. */
  beginStop(): void {
    this.#stopping.abort();
  }

  async stop(): Promise<void> {
    this.beginStop();
    const hasEnded = this.#running === undefined || (await this.#time.outlast(this.#running, this.#graceMs));
    if (hasEnded) return this.#throwFailure();
    throw new CodedError(
      "ShutdownTimeout",
      `Cannot stop the manager: it still runs ${this.#graceMs / 1_000} s after it was asked to stop`,
    );
  }

  async kill(): Promise<void> {
    this.#isSeen = true;
    this.transport.faults.add({ kind: "refused" });
    this.transport.strike("cut");
    this.beginStop();
    await this.#time.settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const wasSeen = this.#isSeen;
    try {
      await this.stop();
    } catch (error) {
      if (this.#ended === undefined || !wasSeen) throw error;
    } finally {
      // One that goes on for ever is not waited for: what it did is thrown already.
      if (this.#running === undefined || this.#ended !== undefined) await this.manager[Symbol.asyncDispose]();
      await this.client[Symbol.asyncDispose]();
      await this.#sent[Symbol.asyncDispose]();
    }
  }

  #throwFailure(): void {
    if (this.#ended === undefined) return;
    this.#isSeen = true;
    if (this.#ended.error !== undefined) throw this.#ended.error;
  }
}
