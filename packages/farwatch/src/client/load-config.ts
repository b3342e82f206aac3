import { delimiter, dirname, join, resolve } from "node:path";
import type { Clock } from "../clock/clock.ts";
import { systemClock } from "../clock/system-clock.ts";
import { CodedError } from "../error/coded-error.ts";
import { type Logger, silentLogger } from "../observe/logger.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { inClusterConfig } from "./in-cluster.ts";
import { type Kubeconfig, type KubeconfigObject, parseKubeconfig, readKubeconfig } from "./kubeconfig.ts";
import { type AccessOptions, accessOf } from "./kubeconfig-access.ts";
import { type ContextOverrides, chooseContext, mergeKubeconfigs } from "./kubeconfig-context.ts";
import type { Environment } from "./proxy-choice.ts";
import { diskReader, fileProblem, isMissing, type ReadFile } from "./read-file.ts";
import { childRunner, type RunCommand } from "./run-command.ts";
import { singleFlight } from "./single-flight.ts";

export interface LoadConfigOptions extends ContextOverrides {
  /** The path of a kubeconfig, or its content; nothing else is then looked at. */
  readonly kubeconfig?: string | KubeconfigObject | undefined;
  /**
   * Default: the process's environment. Read are KUBECONFIG, KUBERNETES_SERVICE_HOST and _PORT, HOME, the proxy
   * variables; plugins inherit it.
   */
  readonly env?: Environment | undefined;
  /** When files are read again and plugins run again; default: the system's. */
  readonly clock?: Clock | undefined;
  /** Told of renewals that failed while the old credential stays in use; default: nobody. */
  readonly log?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Default: the disk. */
  readonly readFile?: ReadFile | undefined;
  /** Default: a child process. */
  readonly runCommand?: RunCommand | undefined;
  /** Default: /var/run/secrets/kubernetes.io/serviceaccount. */
  readonly serviceAccountPath?: string | undefined;
}

/**
 * Finds out which cluster to talk to, and as whom, in controller-runtime's order: the option `kubeconfig`, the files
 * that KUBECONFIG lists, the pod's service account, `~/.kube/config`. The first that is there decides, even when it is
 * broken. A pod's service account is passed over when an option names a context, cluster or user, which only a
 * kubeconfig has.
 *
 * Files are read once, and those of credentials again later; see `ClusterConfig.credentials`. Nothing needs to be
 * closed.
 *
 * @throws CodedError `InvalidConfig` that names file and field, `CredentialFailed` for a file that a field names; the
 * signal's reason.
 */
export function loadConfig(options: LoadConfigOptions = {}): Promise<ClusterConfig> {
  return singleFlight((signal) => load(options, signal))(options.signal);
}

async function load(options: LoadConfigOptions, signal: AbortSignal): Promise<ClusterConfig> {
  const clock = options.clock ?? systemClock;
  const access: AccessOptions = {
    clock,
    env: options.env ?? process.env,
    readFile: options.readFile ?? diskReader(clock),
    runCommand: options.runCommand ?? childRunner(clock),
    log: options.log ?? silentLogger,
    signal,
  };
  const given = await givenKubeconfig(options.kubeconfig, access);
  if (given !== undefined) return accessOf(chooseContext(given, options), access);

  const namesEntry = options.context !== undefined || options.cluster !== undefined || options.user !== undefined;
  const pod = namesEntry
    ? { absent: "the options name an entry of a kubeconfig" }
    : await inClusterConfig({
        ...access,
        namespace: options.namespace,
        serviceAccountPath: options.serviceAccountPath ?? "/var/run/secrets/kubernetes.io/serviceaccount",
      });
  if ("server" in pod) return pod;

  const home = access.env.HOME || access.env.USERPROFILE;
  const path = home ? join(home, ".kube", "config") : undefined;
  const own = path === undefined ? undefined : await readFileOf(path, access);
  if (own !== undefined && !("problem" in own)) return accessOf(chooseContext(own, options), access);
  const homeless = own === undefined ? "HOME is not set" : `${path} ${own.problem}`;
  throw new CodedError(
    "InvalidConfig",
    `Cannot find a cluster: KUBECONFIG is not set, ${pod.absent}, and ${homeless}; set KUBECONFIG or give the option kubeconfig`,
    { cause: "cause" in pod ? pod.cause : undefined },
  );
}

/** The kubeconfig that the option or KUBECONFIG names; undefined when neither does. */
async function givenKubeconfig(
  kubeconfig: LoadConfigOptions["kubeconfig"],
  access: AccessOptions,
): Promise<Kubeconfig | undefined> {
  if (typeof kubeconfig === "object")
    return readKubeconfig(kubeconfig, { source: "the given kubeconfig", directory: process.cwd() });
  if (kubeconfig) {
    const read = await readFileOf(resolve(kubeconfig), access);
    if (!("problem" in read)) return read;
    throw new CodedError("InvalidConfig", `Cannot read kubeconfig ${resolve(kubeconfig)}: it ${read.problem}`);
  }
  const listed = (access.env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  if (listed.length === 0) return undefined;
  const paths = [...new Set(listed.map((path) => resolve(path)))];
  const read = await Promise.all(paths.map((path) => readFileOf(path, access)));
  const files = read.flatMap((file) => ("problem" in file ? [] : [file]));
  if (files.length > 0) return mergeKubeconfigs(files);
  const problems = read.flatMap((file, index) => ("problem" in file ? [`${paths[index]} ${file.problem}`] : []));
  throw new CodedError("InvalidConfig", `Cannot read any file of KUBECONFIG: ${problems.join(", ")}`);
}

/** A kubeconfig file, or that it is missing or empty, which kubectl lets pass in a list. */
async function readFileOf(
  path: string,
  { clock, readFile }: AccessOptions,
): Promise<Kubeconfig | { readonly problem: string }> {
  const source = `kubeconfig ${path}`;
  let text: string;
  try {
    text = await readFile(path);
  } catch (error) {
    if (isMissing(error)) return { problem: "does not exist" };
    throw new CodedError("InvalidConfig", `Cannot read ${source}: ${fileProblem(error)}`, { cause: error });
  }
  const empty = text.split("\n").every((line) => /^\s*(?:#.*|---\s*)?$/.test(line));
  return empty ? { problem: "is empty" } : parseKubeconfig(text, { source, directory: dirname(path), clock });
}
