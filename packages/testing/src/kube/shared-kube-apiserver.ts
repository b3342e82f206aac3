import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Kubeconfig } from "@farwatch/apiserver/access";
import { CodedError } from "farwatch";
import type { KubeApiserver } from "./kube-apiserver.ts";
import type { KubeUser } from "./kube-folder.ts";

/** The part of a KubeApiserver that those may use who did not start it. */
export type SharedKubeApiserver = Pick<
  KubeApiserver,
  "url" | "ca" | "token" | "kubeconfig" | "kubeconfigFile" | "user"
>;

/**
 * The API server that the test run has started for all its suites, found by `FARWATCH_TEST_KUBECONFIG`. Besides `admin`
 * it knows the user `restricted`, who may do nothing until a suite gives it a role. Keep to a namespace of your own,
 * and remove what is cluster-scoped.
 *
 * @throws CodedError `NotFound` outside of such a run.
 */
export function sharedKubeApiserver(env: NodeJS.ProcessEnv = process.env): SharedKubeApiserver {
  const kubeconfigFile = env.FARWATCH_TEST_KUBECONFIG;
  if (kubeconfigFile === undefined) {
    throw new CodedError(
      "NotFound",
      "Cannot use the shared API server: FARWATCH_TEST_KUBECONFIG is not set; run the suite with `npm test -- FILE`",
    );
  }
  const user = (name: string): KubeUser => readUser(join(dirname(kubeconfigFile), `${name}.kubeconfig`), name);
  const { kubeconfig, token } = user("admin");
  const cluster = kubeconfig.clusters[0]?.cluster;
  if (cluster === undefined)
    throw new CodedError("InvalidConfig", `Cannot read ${kubeconfigFile}: it names no cluster`);
  return {
    url: cluster.server,
    ca: Buffer.from(cluster["certificate-authority-data"] ?? "", "base64").toString("utf8"),
    token,
    kubeconfig,
    kubeconfigFile,
    user,
  };
}

function readUser(kubeconfigFile: string, name: string): KubeUser {
  let text: string;
  try {
    text = readFileSync(kubeconfigFile, "utf8");
  } catch (cause) {
    throw new CodedError(
      "NotFound",
      `Cannot give user ${name} of the shared API server: ${kubeconfigFile} cannot be read`,
      { cause },
    );
  }
  const kubeconfig = JSON.parse(text) as Kubeconfig;
  const given = kubeconfig.users[0]?.user;
  if (given === undefined || !("token" in given)) {
    throw new CodedError("InvalidConfig", `Cannot read ${kubeconfigFile}: it has no user with a token`);
  }
  return { name, token: given.token, kubeconfig, kubeconfigFile };
}
