import { join } from "node:path";
import { startKubeApiserver, startVersitygw } from "@farwatch/testing";
import { createClient, loadConfig } from "farwatch";
import { startOperator } from "./operator-process.ts";
import type { OperatorOptions, RunningOperator, Stage, StageOptions } from "./stage.ts";

/** kube-apiserver, etcd and versitygw on loopback, and the operator's own command beside them: five processes. */
export async function openRealStage({ users, bucket, log, signal }: StageOptions): Promise<Stage> {
  await using undo = new AsyncDisposableStack();
  const kube = undo.use(await startKubeApiserver({ log, signal }));
  const s3 = undo.use(await startVersitygw({ users, log, signal }));
  await s3.createBucket(bucket.name, bucket);
  const { kubeconfigFile } = kube;
  const client = undo.use(createClient({ config: loadConfig({ kubeconfig: kubeconfigFile }) }));
  const operatorLog = join(kube.folder, "operator.log");
  const held = undo.move();
  return {
    title: "kube-apiserver, etcd, an S3 server and the operator, each in its own process",
    client,
    kubeconfigFile,
    s3: { url: s3.url, kill: () => s3.kill(), restart: () => s3.restart() },
    logFiles: { ...(kube.logFiles as Record<string, string>), versitygw: s3.logFile, operator: operatorLog },
    async startOperator({ allowEndpoint, namespace }: OperatorOptions): Promise<RunningOperator> {
      return held.use(
        await startOperator({
          kubeconfigFile,
          logFile: operatorLog,
          allowEndpoint: [allowEndpoint],
          leaseNamespace: namespace,
        }),
      );
    },
    keep(): readonly string[] {
      kube.keepFolder();
      s3.keepFolder();
      return [kube.folder, s3.folder];
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
