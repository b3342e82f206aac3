// What the tests of the operator share: the whole operator in virtual time, on an embedded API server and a scripted S3 service.

import { inspect } from "node:util";
import { createTestEnv, type Replica, type SentRequest, type TestEnv } from "@farwatch/testing";
import {
  type BucketEvent,
  type Clock,
  createMetrics,
  type Duration,
  Event,
  formatKey,
  nextOnGrid,
  phaseOf,
  type Source,
  type Transport,
} from "farwatch";
import { createScriptedTransport, type LogLine, type ScriptedTransport } from "farwatch/doubles";
import { createEndpointPolicy, parseAllowedEndpoint } from "../endpoint/endpoint-policy.ts";
import { createS3Probe } from "../probe/s3-probe.ts";
import {
  credentialsSecretType,
  StorageBucket,
  type StorageBucketSpec,
  type StorageBucketStatus,
} from "../resource/storage-bucket.ts";
import { storageBucketController } from "./storage-bucket-controller.ts";

/** As the API server would fill it in, but each probe of a minute writes, and the first failure counts. */
export const probeDefaults: StorageBucketSpec["probe"] = {
  level: "Head",
  periodSeconds: 60,
  timeoutSeconds: 5,
  failureThreshold: 1,
  successThreshold: 1,
  initialDelaySeconds: 0,
  heartbeatSeconds: 0,
};

const minio = "https://minio.example.com";

export interface SpecInput {
  readonly s3?: Partial<StorageBucketSpec["s3"] & object>;
  readonly secret?: string;
  readonly probe?: Partial<StorageBucketSpec["probe"]>;
  readonly caBundleRef?: StorageBucketSpec["caBundleRef"];
  readonly suspend?: boolean;
  /** Default: `default`. */
  readonly namespace?: string;
}

export function specOf({ s3, secret, probe, caBundleRef, suspend = false }: SpecInput = {}): StorageBucketSpec {
  return {
    s3: { bucket: "photos", endpoint: minio, addressing: "Auto", ...s3 },
    credentials: secret === undefined ? { anonymous: {} } : { secretRef: { name: secret } },
    probe: { ...probeDefaults, ...probe },
    ...(caBundleRef === undefined ? {} : { caBundleRef }),
    suspend,
  };
}

/** Keys that may be sent to the scripted service. */
export const keys = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "example-secret-key",
  allowedEndpoints: "minio.example.com",
};

export interface VirtualOperatorOptions {
  readonly concurrency?: number;
  readonly namespaceConcurrency?: number;
  readonly namespaceProbesPerSecond?: number;
  readonly endpointProbesPerSecond?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Values of --allow-endpoint. */
  readonly allow?: readonly string[];
  /** Makes what probes go through instead of the scripted service; on this clock, so that virtual time waits for sockets. */
  readonly transport?: (clock: Clock) => Transport;
  /** Of every process. */
  readonly bucketEvents?: readonly Source<BucketEvent>[];
}

/** A process of the operator; several may follow one another on the same cluster. */
export interface OperatorRun {
  readonly metrics: ReturnType<typeof createMetrics>;
  /** Where faults strike between it and the API server. */
  readonly transport: Replica["transport"];
  /** Stops it, and rejects with what it ended with if that was not asked for. */
  stop(): Promise<void>;
}

export interface VirtualOperator extends AsyncDisposable {
  readonly env: TestEnv;
  readonly clock: Clock;
  readonly s3: ScriptedTransport;
  readonly run: OperatorRun;
  /** All that was logged, fields included, as text. */
  readonly log: readonly string[];
  /** What the operator has sent to the API server to be changed. */
  readonly writes: readonly SentRequest[];
  /** Of these the status writes that were done. */
  readonly statusWrites: readonly SentRequest[];
  /** When the scripted service was asked, in seconds since the start. */
  readonly askedAt: readonly number[];
  /** Creates the bucket, or changes its spec, as a user would. Names are unique, whatever the namespace. */
  bucket(name: string, spec?: SpecInput): Promise<void>;
  secret(name: string, data?: Readonly<Record<string, string>>, type?: string): Promise<void>;
  /** As the server holds it now. */
  objectOf(name: string): StorageBucket;
  statusOf(name: string): StorageBucketStatus;
  /** Status, reason and message of one condition. */
  conditionOf(name: string, type?: string): ReturnType<typeof readCondition>;
  /** In the order in which they happened. */
  events(): Promise<readonly Event[]>;
  advance(duration: Duration): Promise<void>;
  restart(): Promise<void>;
}

export const keyIn = (name: string) => ({ namespace: "default", name });

export async function startVirtualOperator(options: VirtualOperatorOptions = {}): Promise<VirtualOperator> {
  await using undo = new AsyncDisposableStack();
  const env = undo.use(await createTestEnv({ resources: [StorageBucket] }));
  const { clock } = env;
  const s3 = createScriptedTransport(clock);
  const transport = undo.use(options.transport?.(clock) ?? s3);
  const namespaces = new Set(["default"]);
  const replicas: Replica[] = [];
  let run = await startRun();
  const held = undo.move();

  async function startRun(): Promise<OperatorRun> {
    const metrics = createMetrics();
    const replica = env.replica({ metrics });
    const { concurrency, namespaceConcurrency, namespaceProbesPerSecond, endpointProbesPerSecond } = options;
    replica.manager.add(
      storageBucketController({
        probe: createS3Probe({ transport, clock, env: options.env ?? {} }),
        policy: createEndpointPolicy((options.allow ?? []).flatMap((text) => parseAllowedEndpoint(text) ?? [])),
        clock,
        metrics,
        concurrency,
        namespaceConcurrency,
        namespaceProbesPerSecond,
        endpointProbesPerSecond,
        bucketEvents: options.bucketEvents,
      }),
    );
    replicas.push(replica);
    await replica.start();
    return { metrics, transport: replica.transport, stop: () => replica.stop() };
  }

  const objectOf = (name: string): StorageBucket => {
    const { objects } = env.server.state();
    const found = objects.find(({ object: { kind, metadata } }) => kind === "StorageBucket" && metadata.name === name);
    if (found === undefined) throw new Error(`there is no bucket ${name}`);
    return found.object as unknown as StorageBucket;
  };
  const writes = (): readonly SentRequest[] =>
    replicas.flatMap(({ requests }) => requests.filter(({ method }) => method !== "GET"));

  return {
    env,
    clock,
    s3,
    get run() {
      return run;
    },
    get log() {
      return replicas.flatMap(({ lines }) => lines.map(textOf));
    },
    get writes() {
      return writes();
    },
    get statusWrites() {
      return writes().filter(({ asked, status }) => asked?.subresource === "status" && status === 200);
    },
    get askedAt() {
      return s3.requests.map(({ at }) => at / 1_000);
    },
    async bucket(name, spec): Promise<void> {
      const { namespace = "default" } = spec ?? {};
      if (!namespaces.has(namespace)) {
        await env.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
        namespaces.add(namespace);
      }
      await env.apply({
        apiVersion: StorageBucket.apiVersion,
        kind: "StorageBucket",
        metadata: { namespace, name },
        spec: specOf(spec),
      });
    },
    secret(name, data = keys, type = credentialsSecretType): Promise<void> {
      const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
      return env.apply({
        apiVersion: "v1",
        kind: "Secret",
        metadata: keyIn(name),
        type,
        data: Object.fromEntries(encoded),
      });
    },
    objectOf,
    statusOf: (name) => objectOf(name).status ?? {},
    conditionOf: (name, type = "Available") => readCondition(objectOf(name), type),
    async events(): Promise<readonly Event[]> {
      const events = await env.client.list(Event);
      return events.toSorted((a, b) => ((a.eventTime ?? "") < (b.eventTime ?? "") ? -1 : 1));
    },
    advance: (duration) => env.advance(duration),
    async restart(): Promise<void> {
      await run.stop();
      run = await startRun();
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** The bucket's grid points in seconds since the start. */
export function gridOf(
  { objectOf, clock }: VirtualOperator,
  name: string,
  periodSeconds: number,
  count: number,
): readonly number[] {
  const { uid } = objectOf(name).metadata;
  const periodMs = periodSeconds * 1_000;
  const startMs = clock.now().getTime() - clock.elapsed();
  const firstMs = nextOnGrid(phaseOf(uid, periodMs), periodMs, startMs) - startMs;
  return Array.from({ length: count }, (_, n) => (firstMs + n * periodMs) / 1_000);
}

function readCondition(bucket: StorageBucket, type: string) {
  const condition = bucket.status?.conditions?.find((each) => each.type === type);
  if (condition === undefined) throw new Error(`${formatKey(bucket.metadata)} has no condition ${type}`);
  return condition;
}

/** A line with all of its fields, errors and their causes included: nothing is hidden. */
function textOf({ level, message, fields }: LogLine): string {
  return `${level} ${message} ${inspect(fields, { depth: null, breakLength: Number.POSITIVE_INFINITY })}`;
}
