import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  chooseProxy,
  createClient,
  createHttpTransport,
  createManager,
  createPinoLogger,
  type IngressOptions,
  type LogLevel,
  loadConfig,
  shutdownSignal,
  systemClock,
} from "farwatch";
import { storageBucketController } from "../controller/storage-bucket-controller.ts";
import { type AllowedEndpoint, createEndpointPolicy } from "../endpoint/endpoint-policy.ts";
import { createS3Probe } from "../probe/s3-probe.ts";
import { StorageBucket } from "../resource/storage-bucket.ts";
import type { BucketEventFile } from "./bucket-event-file.ts";

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
  readonly namespaceConcurrency?: number;
  readonly namespaceProbesPerSecond: number;
  readonly endpointProbesPerSecond: number;
  readonly httpAddress?: HttpAddress;
  readonly leaderElect?: boolean;
  readonly leaseNamespace?: string;
  readonly logLevel: LogLevel;
  /** What tells of events of buckets. */
  readonly bucketEvents?: BucketEventFile | undefined;
  readonly ingressAddress?: HttpAddress;
  /** A folder with tls.crt, tls.key and perhaps ca.crt. */
  readonly ingressTls?: string;
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
    ingress: ingressOptions(options),
    leaderElection:
      (options.leaderElect ?? config.inCluster)
        ? { leaseName: "storage-bucket", namespace: options.leaseNamespace ?? homeNamespace }
        : false,
  });
  manager.add(
    storageBucketController({
      probe: createS3Probe({ transport, clock: systemClock, env: process.env }),
      policy: createEndpointPolicy(options.allowEndpoint),
      clock: systemClock,
      metrics: manager.metrics,
      namespace,
      concurrency: options.concurrency,
      namespaceConcurrency: options.namespaceConcurrency,
      namespaceProbesPerSecond: options.namespaceProbesPerSecond,
      endpointProbesPerSecond: options.endpointProbesPerSecond,
      bucketEvents: options.bucketEvents?.sources,
    }),
  );
  await manager.start({ signal });
}

function ingressOptions({ ingressAddress, ingressTls: folder }: RunOptions): IngressOptions | false {
  if (ingressAddress === undefined) return false;
  if (folder === undefined) return ingressAddress;
  const read = (name: string): Promise<string> => readFile(join(folder, name), "utf8");
  return {
    ...ingressAddress,
    // Asked again every minute: a mounted Secret changes under us.
    async tls() {
      const [cert, key] = [await read("tls.crt"), await read("tls.key")];
      const hasCa = (await readdir(folder)).includes("ca.crt");
      return { cert, key, clientCa: hasCa ? await read("ca.crt") : undefined };
    },
  };
}
