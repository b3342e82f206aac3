import {
  createClient,
  createHttpTransport,
  createManager,
  createPinoLogger,
  loadConfig,
  shutdownSignal,
  systemClock,
} from "farwatch";
import { storageBucketController } from "../controller/storage-bucket-controller.ts";
import { createEndpointPolicy } from "../endpoint/endpoint-policy.ts";
import { createS3Probe } from "../probe/s3-probe.ts";
import { StorageBucket } from "../resource/storage-bucket.ts";

export interface RunOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly allowEndpoint: readonly string[];
  readonly concurrency: number;
  readonly httpAddress?: string;
  readonly leaderElect?: boolean;
  readonly leaseNamespace?: string;
  readonly logLevel: "debug" | "info" | "warn" | "error";
}

/** Runs the operator until SIGTERM or SIGINT. */
export async function runOperator(options: RunOptions): Promise<void> {
  const signal = shutdownSignal();
  const log = createPinoLogger({ level: options.logLevel });
  const policy = createEndpointPolicy(options.allowEndpoint);
  if (options.allowEndpoint.length > 0) {
    log.warn("Private endpoints are open to objects of some namespaces", { allowEndpoint: options.allowEndpoint });
  }
  const config = await loadConfig({ log, kubeconfig: options.kubeconfig, context: options.context });
  const leaderElect = options.leaderElect ?? config.inCluster;
  await using client = createClient({ config, log, fieldManager: "storage-bucket" });
  await using transport = createHttpTransport({ clock: systemClock });
  await using manager = createManager({
    client,
    log,
    cache: [{ resource: StorageBucket, options: { namespace: options.namespace } }],
    http: options.httpAddress === undefined ? undefined : parseAddress(options.httpAddress),
    leaderElection: leaderElect
      ? { leaseName: "storage-bucket", namespace: options.leaseNamespace ?? options.namespace ?? config.namespace }
      : false,
  });
  const probe = createS3Probe({ transport, clock: systemClock, env: process.env });
  manager.add(
    storageBucketController({ probe, policy, namespace: options.namespace, concurrency: options.concurrency }),
  );
  await manager.start({ signal });
}

function parseAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(text) ?? [];
  return { host: host.replace(/^\[|\]$/g, "") || "0.0.0.0", port: Number(port) };
}
