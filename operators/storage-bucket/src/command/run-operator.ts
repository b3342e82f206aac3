import {
  chooseProxy,
  createClient,
  createHttpTransport,
  createManager,
  createPinoLogger,
  type LogLevel,
  loadConfig,
  shutdownSignal,
  systemClock,
} from "farwatch";
import { storageBucketController } from "../controller/storage-bucket-controller.ts";
import { type AllowedEndpoint, createEndpointPolicy } from "../endpoint/endpoint-policy.ts";
import { createS3Probe } from "../probe/s3-probe.ts";
import { StorageBucket } from "../resource/storage-bucket.ts";

export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

/** As the command line gives them. */
export interface RunOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly allowEndpoint: readonly AllowedEndpoint[];
  readonly concurrency: number;
  readonly httpAddress?: HttpAddress;
  readonly leaderElect?: boolean;
  readonly leaseNamespace?: string;
  readonly logLevel: LogLevel;
}

/** Runs the operator until SIGTERM or SIGINT; rejects when it cannot start or has to give up. */
export async function runOperator(options: RunOptions): Promise<void> {
  const signal = shutdownSignal();
  const log = createPinoLogger({ level: options.logLevel });
  // A proxy that cannot be used is a fault of this process's settings, not a finding about each bucket.
  for (const scheme of ["http", "https"]) chooseProxy(`${scheme}://s3.amazonaws.com/`, process.env);
  const { kubeconfig, context } = options;
  const config = await loadConfig({ log, kubeconfig, context, signal });
  const namespace = options.allNamespaces ? undefined : (options.namespace ?? config.namespace);
  log.info("Watching StorageBuckets", { namespace: namespace ?? "all" });
  if (options.allowEndpoint.length > 0) {
    const allowed = options.allowEndpoint.map(({ text }) => text);
    log.warn("Private endpoints are open to objects of some namespaces", { allowed });
  }

  // Where the operator lives: its pod's namespace, or outside of a cluster the one that it is told to watch.
  const homeNamespace = config.inCluster ? config.namespace : (options.namespace ?? config.namespace);
  await using client = createClient({ config, log });
  await using transport = createHttpTransport();
  await using manager = createManager({
    client,
    log,
    cache: [{ resource: StorageBucket, options: { namespace } }],
    http: options.httpAddress,
    leaderElection:
      (options.leaderElect ?? config.inCluster)
        ? { leaseName: "storage-bucket", namespace: options.leaseNamespace ?? homeNamespace }
        : false,
  });
  manager.add(
    storageBucketController({
      probe: createS3Probe({ transport, clock: systemClock, env: process.env }),
      policy: createEndpointPolicy(options.allowEndpoint),
      metrics: manager.metrics,
      namespace,
      concurrency: options.concurrency,
    }),
  );
  await manager.start({ signal });
}
