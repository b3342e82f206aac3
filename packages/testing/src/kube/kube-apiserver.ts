import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { IssuedCertificate, Kubeconfig } from "@farwatch/apiserver/access";
import { CodedError, type Duration, isCodedError } from "farwatch";
import { locateBinaries } from "../binaries/locate-binaries.ts";
import { freePort, lostItsPort, withFreePorts } from "../process/free-port.ts";
import { httpProblem } from "../process/http-call.ts";
import { type ServerProcess, startProcess, untilReady } from "../process/server-process.ts";
import { createTempFolder } from "../process/temp-folder.ts";
import { compactEtcd, etcdProblem, etcdUrl, startEtcd } from "./etcd.ts";
import { type KubeUser, type TestUser, writeKubeFolder } from "./kube-folder.ts";

export type KubeProcess = "etcd" | "kube-apiserver" | "kube-controller-manager";

export interface KubeApiserverOptions {
  /** Besides `admin`. */
  readonly users?: readonly TestUser[];
  /**
   * Also runs garbage collection, namespaces, service accounts, root certificates and role aggregation; default false,
   * since its traffic disturbs.
   */
  readonly controllerManager?: boolean;
  /** Writes each request as a JSON line of audit.k8s.io/v1 to `logFiles.audit`; default false. */
  readonly audit?: boolean;
  /** Further flags of kube-apiserver, after ours, so that they win. */
  readonly flags?: readonly string[];
  /** Default 60 s. */
  readonly readyWithin?: Duration;
  /** Told what is being waited for. */
  readonly log?: ((line: string) => void) | undefined;
  /** Aborts the start. */
  readonly signal?: AbortSignal | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * A kube-apiserver with an etcd of its own, on 127.0.0.1 and in a temporary folder. Disposal kills both and removes the
 * folder; so does the end of this process, SIGKILL included.
 */
export interface KubeApiserver extends AsyncDisposable {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** PEM of the authority that signed the server's certificate, and whose client certificates it accepts. */
  readonly ca: string;
  /** The token of `admin`, in group `system:masters`. */
  readonly token: string;
  readonly kubeconfig: Kubeconfig;
  readonly kubeconfigFile: string;
  /** Holds data, certificates and logs. */
  readonly folder: string;
  readonly logFiles: Readonly<Partial<Record<KubeProcess | "audit", string>>>;
  /** Of those that run now. */
  readonly pids: Readonly<Partial<Record<KubeProcess, number>>>;
  /** @throws CodedError `NotFound` for a user that was not given at the start. */
  user(name: string): KubeUser;
  /** A client certificate that makes its bearer this user; works at once and for a day. */
  clientCertificate(name: string, groups?: readonly string[]): Promise<IssuedCertificate>;
  /** Sends a signal to one process; default: SIGKILL to kube-apiserver. */
  kill(signal?: NodeJS.Signals, which?: KubeProcess): void;
  /**
   * Stops what runs and starts it again on the same data, ports, tokens and certificates; resolves when it is ready.
   */
  restart(): Promise<void>;
  /**
   * Forgets the versions before the newest, which is returned. The API server still answers from the memory of its
   * watch cache; after a `restart` a watch from an older version gets 410.
   */
  compactEtcd(): Promise<number>;
  /** Leaves the folder on disposal, for someone to look at. */
  keepFolder(): void;
}

const auditPolicy = { apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] };
/** In the order in which they start. */
const allProcesses = ["etcd", "kube-apiserver", "kube-controller-manager"] as const satisfies readonly KubeProcess[];
const controllers = [
  "clusterrole-aggregation-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "root-ca-certificate-publisher-controller",
  "serviceaccount-controller",
];

/**
 * Starts the servers and waits until /readyz says ok and the namespace `default` is there (and, with the controller
 * manager, its service account).
 *
 * @throws CodedError `NotFound` without binaries and Go; `ServerUnavailable` when a server does not come up, with the
 * end of its log and the log's path, in which case the folder stays.
 */
export async function startKubeApiserver(options: KubeApiserverOptions = {}): Promise<KubeApiserver> {
  const wanted: readonly KubeProcess[] = options.controllerManager ? allProcesses : allProcesses.slice(0, 2);
  const binaries = await locateBinaries(wanted, options);
  return await withFreePorts(() => start(options, wanted, binaries));
}

async function start(
  options: KubeApiserverOptions,
  wanted: readonly KubeProcess[],
  binaries: Readonly<Record<KubeProcess, string>>,
): Promise<KubeApiserver> {
  await using undo = new AsyncDisposableStack();
  const temp = undo.use(await createTempFolder("farwatch-kube-"));
  const folder = temp.path;
  const inFolder = (name: string): string => join(folder, name);
  const [port, etcdPort, peerPort] = [await freePort(), await freePort(), await freePort()];
  const url = `https://127.0.0.1:${port}`;
  const logFiles: Readonly<Record<KubeProcess | "audit", string>> = {
    etcd: inFolder("etcd.log"),
    "kube-apiserver": inFolder("kube-apiserver.log"),
    "kube-controller-manager": inFolder("kube-controller-manager.log"),
    audit: inFolder("audit.log"),
  };

  const { authority, admin, users, ...files } = await writeKubeFolder(folder, { url, users: options.users ?? [] });
  const auditFlags = async (): Promise<readonly string[]> => {
    await writeFile(inFolder("audit-policy.json"), JSON.stringify(auditPolicy));
    return [`--audit-policy-file=${inFolder("audit-policy.json")}`, `--audit-log-path=${logFiles.audit}`];
  };
  const flags = [...files.flags, ...(options.audit ? await auditFlags() : []), ...(options.flags ?? [])];

  const commands: Readonly<Record<KubeProcess, () => Promise<ServerProcess>>> = {
    etcd: () =>
      startEtcd({
        binary: binaries.etcd,
        dataFolder: inFolder("etcd"),
        port: etcdPort,
        peerPort,
        logFile: logFiles.etcd,
      }),
    "kube-apiserver": () =>
      startProcess({
        name: "kube-apiserver",
        command: binaries["kube-apiserver"],
        logFile: logFiles["kube-apiserver"],
        args: [
          `--etcd-servers=${etcdUrl(etcdPort)}`,
          "--bind-address=127.0.0.1",
          `--secure-port=${port}`,
          "--service-account-issuer=https://kubernetes.default.svc",
          "--service-cluster-ip-range=10.0.0.0/24",
          "--authorization-mode=RBAC",
          "--disable-admission-plugins=ServiceAccount",
          ...flags,
        ],
      }),
    "kube-controller-manager": () =>
      startProcess({
        name: "kube-controller-manager",
        command: binaries["kube-controller-manager"],
        logFile: logFiles["kube-controller-manager"],
        args: [
          `--kubeconfig=${admin.kubeconfigFile}`,
          `--controllers=${controllers.join(",")}`,
          "--leader-elect=false",
          "--secure-port=0",
          `--service-account-private-key-file=${files.serviceAccountKeyFile}`,
          `--root-ca-file=${inFolder("ca.crt")}`,
        ],
      }),
  };

  const get = (path: string): Promise<string | undefined> =>
    httpProblem(url, { path, headers: { authorization: `Bearer ${admin.token}` }, ca: authority.cert });
  const checks: Readonly<Record<KubeProcess, () => Promise<string | undefined>>> = {
    etcd: () => etcdProblem(etcdPort),
    "kube-apiserver": async () => (await get("/readyz")) ?? (await get("/api/v1/namespaces/default")),
    "kube-controller-manager": () => get("/api/v1/namespaces/default/serviceaccounts/default"),
  };

  const running = new Map<KubeProcess, ServerProcess>();
  undo.defer(async () => {
    for (const server of [...running.values()].reverse()) await server[Symbol.asyncDispose]();
  });
  const startAll = async (signal: AbortSignal | undefined): Promise<void> => {
    for (const name of wanted) {
      signal?.throwIfAborted();
      options.log?.(`Starting ${name}`);
      const server = await commands[name]();
      running.set(name, server);
      await untilReady(server, { check: checks[name], within: options.readyWithin ?? "60s", signal });
    }
  };
  try {
    await startAll(options.signal);
  } catch (error) {
    if (isCodedError(error, "ServerUnavailable") && !lostItsPort(error)) temp.keep();
    throw error;
  }

  const owned = undo.move();
  return {
    url,
    ca: authority.cert,
    token: admin.token,
    kubeconfig: admin.kubeconfig,
    kubeconfigFile: admin.kubeconfigFile,
    folder,
    logFiles: Object.fromEntries(
      Object.entries(logFiles).filter(([name]) =>
        name === "audit" ? options.audit : wanted.includes(name as KubeProcess),
      ),
    ),
    get pids() {
      return Object.fromEntries(
        [...running].filter(([, { ended }]) => ended === undefined).map(([name, { pid }]) => [name, pid]),
      );
    },
    user(name): KubeUser {
      const user = users.get(name);
      if (user !== undefined) return user;
      throw new CodedError(
        "NotFound",
        `Cannot give user ${name} of ${url}: it knows ${[...users.keys()].join(", ")}; name it in \`users\` at the start`,
      );
    },
    clientCertificate: (name, groups = []) =>
      authority.issue({ commonName: name, organizations: groups, usage: "client" }),
    kill(signal = "SIGKILL", which = "kube-apiserver"): void {
      running.get(which)?.kill(signal);
    },
    async restart(): Promise<void> {
      for (const server of [...running.values()].reverse()) await server.stop();
      await startAll(undefined);
    },
    compactEtcd: () => compactEtcd(etcdPort),
    keepFolder: () => temp.keep(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
