import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiServer } from "@farwatch/apiserver";
import { createS3Store, kubeconfigFor, writeKubeconfig } from "@farwatch/testing";
import {
  CodedError,
  createClient,
  createHttpTransport,
  createManager,
  createPinoLogger,
  messageOf,
  systemClock,
} from "farwatch";
import { createEndpointPolicy, createS3Probe, parseAllowedEndpoint, storageBucketController } from "storage-bucket";
import type { OperatorOptions, RunningOperator, Stage, StageOptions } from "./stage.ts";

/** Everything in this process: the embedded API server, which listens for kubectl as well, an S3 store on loopback, and the operator. */
export async function openEmbeddedStage({ users, bucket }: StageOptions): Promise<Stage> {
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "farwatch-demo-"));
  let isKept = false;
  undo.defer(async () => {
    if (!isKept) await rm(folder, { recursive: true, force: true });
  });
  const kubeconfigFile = join(folder, "kubeconfig");
  const operatorLog = join(folder, "operator.log");

  const server = undo.use(createApiServer());
  // Certificates take a moment, in which everything else can start.
  const listening = server
    .listen({ tls: true })
    .then(({ url, ca }) =>
      writeKubeconfig(
        kubeconfigFile,
        kubeconfigFor({ url, ca, user: { token: server.token() }, name: "farwatch-demo" }),
      ),
    );
  listening.catch(() => {});
  const store = undo.use(createS3Store({ users, buckets: { [bucket.name]: { owner: bucket.owner.accessKeyId } } }));
  const s3 = await store.listen();
  const client = undo.use(createClient({ config: server.config, transport: server.transport }));
  const held = undo.move();

  return {
    title: "API server, S3 store and operator in this one process",
    client,
    kubeconfigFile,
    s3: {
      url: s3.url,
      kill: () => s3.refuse(),
      async restart(): Promise<void> {
        s3.resume();
        await s3.ready();
      },
    },
    logFiles: { operator: operatorLog },
    async startOperator(options: OperatorOptions): Promise<RunningOperator> {
      const file = createWriteStream(operatorLog);
      held.defer(() => new Promise<void>((resolve) => file.end(() => resolve())));
      const operator = await runOperator(options, file);
      held.use(operator);
      await listening;
      return operator;
    },
    keep(): readonly string[] {
      isKept = true;
      return [folder];
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };

  /** What `storage-bucket run` does, without a process of its own. */
  async function runOperator(
    { allowEndpoint, namespace }: OperatorOptions,
    file: { write(line: string): void },
  ): Promise<RunningOperator & AsyncDisposable> {
    await using parts = new AsyncDisposableStack();
    const log = createPinoLogger({ destination: file });
    const transport = parts.use(createHttpTransport());
    const operatorClient = parts.use(createClient({ config: server.config, transport: server.transport, log }));
    const manager = createManager({
      client: operatorClient,
      log,
      http: { host: "127.0.0.1", port: 0 },
      leaderElection: { leaseName: "storage-bucket", namespace },
    });
    const allowed = parseAllowedEndpoint(allowEndpoint);
    if (allowed === undefined)
      throw new CodedError("InvalidOption", `Cannot allow ${allowEndpoint}: it is no endpoint`);
    manager.add(
      storageBucketController({
        probe: createS3Probe({ transport, clock: systemClock, env: {} }),
        policy: createEndpointPolicy([allowed]),
        clock: systemClock,
        metrics: manager.metrics,
      }),
    );
    // What every replica runs begins after the health server does.
    const serving = Promise.withResolvers<undefined>();
    manager.add({ name: "serving", needLeaderElection: false, start: async () => serving.resolve(undefined) });
    const stopping = new AbortController();
    const ended = manager.start({ signal: stopping.signal }).then(
      () => undefined,
      (error: unknown) => `the operator ended: ${messageOf(error)}`,
    );
    parts.defer(async () => {
      stopping.abort();
      await ended;
    });
    const why = await Promise.race([serving.promise, ended]);
    if (manager.address === undefined) throw new CodedError("ServerUnavailable", `Cannot start the operator: ${why}`);
    const operatorParts = parts.move();
    return {
      url: `http://127.0.0.1:${manager.address.port}`,
      ended,
      [Symbol.asyncDispose]: () => operatorParts.disposeAsync(),
    };
  }
}
