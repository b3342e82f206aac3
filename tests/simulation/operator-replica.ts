import type { FaultHandle, Replica, TestEnv } from "@farwatch/testing";
import { createMetrics } from "farwatch";
import { type EndpointPolicy, type S3Probe, StorageBucket, storageBucketController } from "storage-bucket";
import { election, type History } from "./history.ts";
import type { Mutant } from "./mutant.ts";
import { recordingTransport } from "./recorder.ts";

export interface OperatorReplicaOptions {
  readonly name: string;
  readonly env: TestEnv;
  readonly history: History;
  readonly mutant: Mutant;
  readonly probe: S3Probe;
  readonly policy: EndpointPolicy;
}

type Fault = Parameters<Replica["transport"]["faults"]["add"]>[0];

/** A replica of the operator: one process after the other, each with a manager of its own. */
export class OperatorReplica implements AsyncDisposable {
  readonly #options: OperatorReplicaOptions;
  #replica: Replica | undefined;
  /** The one whose end was told. */
  #told: Replica | undefined;
  #number = 0;
  /** Faults between this replica and the server, which a new process meets too. */
  readonly #faults = new Map<Fault, FaultHandle | undefined>();

  constructor(options: OperatorReplicaOptions) {
    this.#options = options;
  }

  get process(): string {
    return `${this.#options.name}#${this.#number}`;
  }

  /** Why the process has ended by itself; told once. */
  takeEnd(): string | undefined {
    const ended = this.#replica?.ended;
    if (ended === undefined || this.#told === this.#replica) return undefined;
    this.#told = this.#replica;
    return ended.error instanceof Error ? ended.error.message : "without an error";
  }

  async start(): Promise<void> {
    const { env, history, mutant, probe, policy } = this.#options;
    this.#number += 1;
    const process = this.process;
    const replica = await env.replica({
      leaderElection: { leaseName: "storage-bucket", namespace: "default", identity: process, ...election },
      cache: [{ resource: StorageBucket, options: { namespace: "default" } }],
      gracefulShutdownTimeout: "20s",
      ...(mutant.client === undefined ? {} : { client: mutant.client }),
      transport: (transport) => {
        const recorded = recordingTransport(transport, {
          process,
          clock: env.clock,
          onSent: history.sent,
          onEnded: history.ended,
        });
        return mutant.transport?.(recorded) ?? recorded;
      },
    });
    const controller = storageBucketController({
      probe,
      policy,
      clock: env.clock,
      metrics: createMetrics(),
      namespace: "default",
    });
    replica.manager.add(mutant.controller?.(controller) ?? controller);
    this.#replica = replica;
    for (const fault of this.#faults.keys()) this.#faults.set(fault, replica.transport.faults.add(fault));
    await replica.start().catch((error: unknown) => {
      if (replica.ended === undefined) throw error;
    });
  }

  /** A fault that this replica's processes meet until it is disposed of. */
  addFault(fault: Fault): Disposable {
    this.#faults.set(fault, this.#replica?.transport.faults.add(fault));
    return {
      [Symbol.dispose]: () => {
        this.#faults.get(fault)?.[Symbol.dispose]();
        this.#faults.delete(fault);
      },
    };
  }

  /** Ends the process as SIGTERM does. */
  async stop(): Promise<void> {
    const replica = this.#take();
    await replica?.stop().catch(() => {});
  }

  /** Ends it as SIGKILL does: nothing that it sends from now on arrives. */
  async kill(): Promise<void> {
    await this.#take()?.kill();
  }

  async restart(): Promise<void> {
    if (this.#replica !== undefined && this.#replica.ended === undefined) return;
    this.#take();
    await this.start();
  }

  async cachedBuckets(): Promise<readonly StorageBucket[]> {
    return (await this.#replica?.manager.cache.list(StorageBucket)) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #take(): Replica | undefined {
    const replica = this.#replica;
    if (replica === undefined) return undefined;
    this.#options.history.processEnded(this.process);
    this.#replica = undefined;
    return replica;
  }
}
