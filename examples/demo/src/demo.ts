import { freePort, serveKind } from "@farwatch/testing";
import { type ConnectedClient, Secret } from "farwatch";
import { credentialsSecretType, StorageBucket } from "storage-bucket";
import { openEmbeddedStage } from "./embedded-stage.ts";
import { bucketName, namespace, type Scene, scenes } from "./scenario.ts";
import { startSilentServer } from "./silent-server.ts";
import type { DemoS3, RunningOperator } from "./stage.ts";

export interface DemoOptions {
  /** On real servers, each in its own process; default: everything in this one. */
  readonly real?: boolean | undefined;
  /** Told what is being waited for. */
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** A cluster, an S3 server with buckets in and out of order, StorageBuckets for them, and the operator that watches. */
export interface Demo extends AsyncDisposable {
  /** What runs where, in a sentence. */
  readonly title: string;
  readonly client: ConnectedClient;
  readonly kubeconfigFile: string;
  readonly s3: DemoS3;
  readonly operator: RunningOperator;
  readonly scenes: readonly Scene[];
  readonly logFiles: Readonly<Record<string, string>>;
  /** Leaves kubeconfig and logs when everything stops; gives their folders. */
  keep(): readonly string[];
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
export async function startDemo({ real = false, log, signal }: DemoOptions): Promise<Demo> {
  await using undo = new AsyncDisposableStack();
  // Loaded when asked for: most who look at the demo have no Go.
  const openStage = real ? (await import("./real-stage.ts")).openRealStage : openEmbeddedStage;
  const bucket = { name: bucketName, owner };
  const stage = undo.use(await openStage({ users: [owner, stranger], bucket, log, signal }));
  const silent = undo.use(await startSilentServer());
  const refused = `http://127.0.0.1:${await freePort()}`;
  const all = scenes({ s3: stage.s3.url, refused, silent: silent.url, owner, stranger });

  log("Installing the StorageBucket resource");
  const { client } = stage;
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
  const operator = await stage.startOperator({ allowEndpoint: `${namespace}=127.0.0.0/8`, namespace });
  const { title, kubeconfigFile, s3, logFiles } = stage;
  const owned = undo.move();
  return {
    title,
    client,
    kubeconfigFile,
    s3,
    operator,
    scenes: all,
    logFiles,
    keep: () => stage.keep(),
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
