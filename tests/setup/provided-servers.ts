import { locateBinaries, startKubeApiserver } from "@farwatch/testing";

export interface ProvidedServers extends AsyncDisposable {
  /** For the environment of the suites; `sharedKubeApiserver` of @farwatch/testing reads it. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * What the suites on real servers need: every binary is there before the first test, so that no test waits for a build, and
 * one API server runs for all of them. Suites that break or steer a server start their own.
 *
 * @throws CodedError `NotFound` when there are neither binaries nor Go.
 */
export async function provideServers(options: {
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}): Promise<ProvidedServers> {
  await locateBinaries(["etcd", "kube-apiserver", "kube-controller-manager", "versitygw"], options);
  const server = await startKubeApiserver({ ...options, users: [{ name: "restricted" }] });
  return {
    env: { FARWATCH_TEST_KUBECONFIG: server.kubeconfigFile },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
