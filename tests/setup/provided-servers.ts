import { type KubeApiserver, locateBinaries, startKubeApiserver } from "@farwatch/testing";
import { createTaskScope, isCodedError } from "farwatch";
import { ensureBuilt } from "../../bench/harness/build.ts";
import { testedPeers } from "../../bench/harness/implementation.ts";

export interface ProvidedServers extends AsyncDisposable {
  /** One for each server: for the environment of the suites on it; `sharedKubeApiserver` of @farwatch/testing reads it. */
  readonly envs: readonly Readonly<Record<string, string>>[];
  /** Why there are none: what is missing on this machine, and how to get it. */
  readonly unavailable: string | undefined;
}

/**
 * What the suites on real servers need: every binary is there before the first test, so that no test waits for a build, and
 * API servers that they share. Suites that break or steer a server start their own.
 */
export async function provideServers(options: {
  /** How many API servers. */
  readonly count: number;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}): Promise<ProvidedServers> {
  try {
    await ensureBinaries(options);
  } catch (error) {
    if (!isCodedError(error, "NotFound")) throw error;
    return { envs: [], unavailable: error.message, [Symbol.asyncDispose]: async () => {} };
  }
  await using starting = new AsyncDisposableStack();
  const start = (): Promise<KubeApiserver> => startKubeApiserver({ ...options, users: [{ name: "restricted" }] });
  const envs = await Promise.all(
    Array.from({ length: options.count }, async () => {
      const server = starting.use(await start());
      return { FARWATCH_TEST_KUBECONFIG: server.kubeconfigFile };
    }),
  );
  const servers = starting.move();
  return { envs, unavailable: undefined, [Symbol.asyncDispose]: () => servers.disposeAsync() };
}

const binaries = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kubectl",
  "kubectl-older",
  "leader-election",
  "versitygw",
] as const;

/** The peers, at the lowest priority, are built in what the servers' builds leave: the times in which those load, or link. */
async function ensureBinaries(options: {
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  await using builds = createTaskScope(options.signal);
  builds.run("servers", async (signal) => {
    await locateBinaries(binaries, { ...options, signal });
  });
  builds.run("peers", async (signal) => {
    for (const peer of testedPeers) await ensureBuilt(peer, { ...options, signal });
  });
  await builds.join();
  options.signal.throwIfAborted();
}
