// What the tests of the operator share: the whole operator in virtual time, on a scripted API server and a scripted S3 service.

import { inspect } from "node:util";
import {
  createClient,
  createManager,
  createMetrics,
  type Duration,
  Event,
  formatKey,
  type LogFields,
  type Logger,
  Secret,
  staticConfig,
  type Transport,
} from "farwatch";
import {
  createScriptedCluster,
  createScriptedTransport,
  createVirtualClock,
  type RecordedRequest,
  type ScriptedCluster,
  type ScriptedTransport,
  type VirtualClock,
} from "farwatch/doubles";
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
  readonly env?: Readonly<Record<string, string>>;
  /** Values of --allow-endpoint. */
  readonly allow?: readonly string[];
  /** Makes what probes go through instead of the scripted service; on this clock, so that virtual time waits for sockets. */
  readonly transport?: (clock: VirtualClock) => Transport;
}

/** A process of the operator; several may follow one another on the same cluster. */
export interface OperatorRun {
  readonly metrics: ReturnType<typeof createMetrics>;
  /** Stops it, and rejects with what it ended with if that was not asked for. */
  stop(): Promise<void>;
}

export interface VirtualOperator extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly cluster: ScriptedCluster;
  readonly s3: ScriptedTransport;
  readonly run: OperatorRun;
  /** All that was logged, fields included, as text. */
  readonly log: readonly string[];
  readonly statusWrites: readonly RecordedRequest[];
  /** When the scripted service was asked, in seconds since the start. */
  readonly askedAt: readonly number[];
  bucket(name: string, spec?: SpecInput): void;
  secret(name: string, data?: Readonly<Record<string, string>>, type?: string): void;
  statusOf(name: string): StorageBucketStatus;
  /** Status, reason and message of one condition. */
  conditionOf(name: string, type?: string): ReturnType<typeof readCondition>;
  events(): readonly Event[];
  advance(duration: Duration): Promise<void>;
  restart(): Promise<void>;
}

export const keyIn = (name: string) => ({ namespace: "default", name });

export async function startVirtualOperator(options: VirtualOperatorOptions = {}): Promise<VirtualOperator> {
  const clock = createVirtualClock();
  const cluster = createScriptedCluster(clock);
  const s3 = createScriptedTransport(clock);
  const log: string[] = [];
  const transport = options.transport?.(clock) ?? s3;
  let run = await startRun();

  async function startRun(): Promise<OperatorRun> {
    const metrics = createMetrics();
    const logger = recordingLogger(log);
    const config = staticConfig({ server: "https://api.example.com" });
    const client = createClient({ config, transport: cluster.transport, clock, log: logger });
    const manager = createManager({ client, clock, log: logger, metrics, leaderElection: false, http: false });
    manager.add(
      storageBucketController({
        probe: createS3Probe({ transport, clock, env: options.env ?? {} }),
        policy: createEndpointPolicy((options.allow ?? []).flatMap((text) => parseAllowedEndpoint(text) ?? [])),
        metrics,
        concurrency: options.concurrency,
      }),
    );
    const stopping = new AbortController();
    const ended = manager.start({ signal: stopping.signal });
    ended.catch(() => {});
    await clock.settle();
    return {
      metrics,
      async stop(): Promise<void> {
        stopping.abort();
        await clock.advance("5s");
        await ended;
        await manager[Symbol.asyncDispose]();
      },
    };
  }

  const objectOf = (name: string): StorageBucket => {
    const object = cluster.get(StorageBucket, keyIn(name));
    if (object === undefined) throw new Error(`there is no bucket ${name}`);
    return object as StorageBucket;
  };

  return {
    clock,
    cluster,
    s3,
    get run() {
      return run;
    },
    log,
    get statusWrites() {
      return cluster.writes.filter(({ path }) => path.endsWith("/status"));
    },
    get askedAt() {
      return s3.requests.map(({ at }) => at / 1_000);
    },
    bucket(name, spec): void {
      cluster.put(StorageBucket, { metadata: keyIn(name), spec: specOf(spec) });
    },
    secret(name, data = keys, type = credentialsSecretType): void {
      const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
      cluster.put(Secret, { metadata: keyIn(name), type, data: Object.fromEntries(encoded) });
    },
    statusOf: (name) => objectOf(name).status ?? {},
    conditionOf: (name, type = "Available") => readCondition(objectOf(name), type),
    events: () => cluster.list(Event) as readonly Event[],
    advance: (duration) => clock.advance(duration),
    async restart(): Promise<void> {
      await run.stop();
      run = await startRun();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await run.stop();
      await transport[Symbol.asyncDispose]();
    },
  };
}

function readCondition(bucket: StorageBucket, type: string) {
  const condition = bucket.status?.conditions?.find((each) => each.type === type);
  if (condition === undefined) throw new Error(`${formatKey(bucket.metadata)} has no condition ${type}`);
  return condition;
}

/** Keeps every line with all of its fields, errors and their causes included, and hides nothing. */
function recordingLogger(lines: string[], inherited: LogFields = {}): Logger {
  const at = (level: string) => (message: string, fields?: LogFields) => {
    const shown = inspect({ ...inherited, ...fields }, { depth: null, breakLength: Number.POSITIVE_INFINITY });
    lines.push(`${level} ${message} ${shown}`);
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => recordingLogger(lines, { ...inherited, ...fields }),
  };
}
