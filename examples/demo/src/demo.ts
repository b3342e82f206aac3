import { join } from "node:path";
import {
  freePort,
  type KubeApiserver,
  serveKind,
  startKubeApiserver,
  startVersitygw,
  type Versitygw,
} from "@farwatch/testing";
import { type ConnectedClient, createClient, loadConfig, Secret } from "farwatch";
import { credentialsSecretType, StorageBucket } from "storage-bucket";
import { type OperatorProcess, startOperator } from "./operator-process.ts";
import { bucketName, namespace, type Scene, scenes } from "./scenario.ts";
import { startSilentServer } from "./silent-server.ts";

export interface DemoOptions {
  /** Told what is being waited for. */
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** A cluster, an S3 server with buckets in and out of order, StorageBuckets for them, and the operator that watches. */
export interface Demo extends AsyncDisposable {
  readonly kube: KubeApiserver;
  readonly s3: Versitygw;
  readonly operator: OperatorProcess;
  readonly client: ConnectedClient;
  readonly scenes: readonly Scene[];
  readonly logFiles: Readonly<Record<string, string>>;
}

/** One row of the table and of `--json`. */
export interface Outcome {
  readonly namespace: string;
  readonly name: string;
  readonly available: boolean | null;
  readonly reason: string | null;
  readonly lastProbeTime: string | null;
}

const owner = { accessKeyId: "demo-owner", secretAccessKey: "demo-owner-secret" };
const stranger = { accessKeyId: "demo-stranger", secretAccessKey: "demo-stranger-secret" };

/** Starts everything on loopback; disposal stops it again. */
export async function startDemo({ log, signal }: DemoOptions): Promise<Demo> {
  await using undo = new AsyncDisposableStack();
  const kube = undo.use(await startKubeApiserver({ log, signal }));
  const s3 = undo.use(await startVersitygw({ users: [owner, stranger], log, signal }));
  await s3.createBucket(bucketName, { owner });
  const silent = undo.use(await startSilentServer());
  const refused = `http://127.0.0.1:${await freePort()}`;
  const all = scenes({ s3: s3.url, refused, silent: silent.url, owner, stranger });

  log("Installing the StorageBucket resource");
  const client = undo.use(createClient({ config: loadConfig({ kubeconfig: kube.kubeconfigFile }) }));
  await serveKind(client, StorageBucket, { signal });
  for (const scene of all) {
    await client.create(
      Secret,
      { metadata: { namespace, name: scene.name }, type: credentialsSecretType, stringData: scene.secret },
      { signal },
    );
    await client.create(StorageBucket, { metadata: { namespace, name: scene.name }, spec: scene.spec }, { signal });
  }

  log("Starting the operator");
  const operator = undo.use(
    await startOperator({
      kubeconfigFile: kube.kubeconfigFile,
      logFile: join(kube.folder, "operator.log"),
      allowEndpoint: [`${namespace}=127.0.0.0/8`],
      leaseNamespace: namespace,
    }),
  );
  const owned = undo.move();
  return {
    kube,
    s3,
    operator,
    client,
    scenes: all,
    logFiles: { ...(kube.logFiles as Record<string, string>), versitygw: s3.logFile, operator: operator.logFile },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** How each StorageBucket of the demo is now, in the order of the scenario. */
export async function outcomesOf(
  { client, scenes: all }: Pick<Demo, "client" | "scenes">,
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const buckets = await client.list(StorageBucket, { namespace, signal });
  return all.map(({ name }) => {
    const status = buckets.find(({ metadata }) => metadata.name === name)?.status;
    return {
      namespace,
      name,
      available: status?.available ?? null,
      reason: status?.conditions?.find(({ type }) => type === "Available")?.reason ?? null,
      lastProbeTime: status?.lastProbeTime ?? null,
    };
  });
}

/** The buckets whose outcome is not the scenario's. */
export function unexpected(outcomes: readonly Outcome[], all: readonly Scene[]): readonly Outcome[] {
  return outcomes.filter(({ name, available, reason }) => {
    const expected = all.find((scene) => scene.name === name)?.expected;
    return expected?.available !== available || expected.reason !== reason;
  });
}
