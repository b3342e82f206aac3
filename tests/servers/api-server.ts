import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiServer } from "@farwatch/apiserver";
import { kubeconfigFor, startKubeApiserver, writeKubeconfig } from "@farwatch/testing";

/** The judge, and the one that is judged by it. */
export const apiServerNames = ["kube-apiserver", "embedded"] as const;
export type ApiServerName = (typeof apiServerNames)[number];

/** An API server of a suite's own, with its controllers, for clients that are processes. */
export interface StartedApiServer extends AsyncDisposable {
  /** Of an administrator. */
  readonly kubeconfigFile: string;
}

export function startApiServer(name: ApiServerName): Promise<StartedApiServer> {
  return name === "embedded" ? startEmbedded() : startKubeApiserver({ controllerManager: true });
}

async function startEmbedded(): Promise<StartedApiServer> {
  await using undo = new AsyncDisposableStack();
  const server = undo.use(createApiServer());
  const { url, ca = "" } = await server.listen({ tls: true });
  const folder = await mkdtemp(join(tmpdir(), "farwatch-embedded-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const kubeconfigFile = join(folder, "kubeconfig");
  await writeKubeconfig(kubeconfigFile, kubeconfigFor({ url, ca, user: { token: server.token() } }));
  const owned = undo.move();
  return { kubeconfigFile, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
