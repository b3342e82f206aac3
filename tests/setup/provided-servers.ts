import { locateBinaries, startKubeApiserver } from "@farwatch/testing";
import { isCodedError } from "farwatch";
import { canBuild, ensureBuilt } from "../../bench/harness/build.ts";
import { chooseImplementations } from "../../bench/harness/implementation.ts";

export interface ProvidedServers extends AsyncDisposable {
  /** For the environment of the suites; `sharedKubeApiserver` of @farwatch/testing reads it. */
  readonly env: Readonly<Record<string, string>>;
  /** Why there is none: what is missing on this machine, and how to get it. */
  readonly unavailable: string | undefined;
}

/**
 * What the suites on real servers need: every binary is there before the first test, so that no test waits for a build, and
 * one API server runs for all of them. Suites that break or steer a server start their own.
 */
export async function provideServers(options: {
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}): Promise<ProvidedServers> {
  try {
    await locateBinaries(
      ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl", "kubectl-older", "leader-election", "versitygw"],
      options,
    );
    for (const peer of chooseImplementations(["cr", "kube"]).filter(canBuild)) await ensureBuilt(peer, options.log);
  } catch (error) {
    if (!isCodedError(error, "NotFound")) throw error;
    return { env: {}, unavailable: error.message, [Symbol.asyncDispose]: async () => {} };
  }
  const server = await startKubeApiserver({ ...options, users: [{ name: "restricted" }] });
  return {
    env: { FARWATCH_TEST_KUBECONFIG: server.kubeconfigFile },
    unavailable: undefined,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
