import { join } from "node:path";
import { isCodedError, messageOf } from "../error/coded-error.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import type { FieldPlace } from "./config-field.ts";
import { type Material, materialCredential } from "./credential-material.ts";
import { type AccessOptions, readServer } from "./kubeconfig-access.ts";
import { chooseProxy } from "./proxy-choice.ts";
import { isMissing, type ReadFile } from "./read-file.ts";

export interface InClusterOptions extends AccessOptions {
  /** Where the kubelet puts `token`, `ca.crt` and `namespace`. */
  readonly serviceAccountPath: string;
  readonly namespace?: string | undefined;
}

const source = "the pod's service account";

/**
 * The access of a pod's own service account, or why there is none, as the end of a sentence. The token and the
 * authorities are read again, since the kubelet replaces them while the pod runs (bound tokens live an hour).
 */
export async function inClusterConfig(
  options: InClusterOptions,
): Promise<ClusterConfig | { readonly absent: string; readonly cause?: unknown }> {
  const { env, readFile, log, serviceAccountPath } = options;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port)
    return { absent: `this is no pod (${host ? "KUBERNETES_SERVICE_PORT" : "KUBERNETES_SERVICE_HOST"} is not set)` };

  const file = (name: string): Material & { readonly type: "file" } => {
    const place: FieldPlace = { source, path: "" };
    return { type: "file", path: join(serviceAccountPath, name), place };
  };
  const ca = file("ca.crt");
  const hasCa = await exists(ca.path, readFile);
  if (!hasCa) log.warn("The service account has no ca.crt, the system's authorities are trusted", { path: ca.path });
  const address = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const server = readServer(address, { source: "the pod's environment", path: "KUBERNETES_SERVICE_HOST" });
  const credentials = materialCredential({ token: file("token"), ca: hasCa ? ca : undefined, headers: {} }, options);
  try {
    await credentials.current(options.signal);
  } catch (error) {
    if (!isCodedError(error, "CredentialFailed")) throw error;
    return { absent: `the service account is of no use (${messageOf(error)})`, cause: error };
  }
  return {
    server,
    namespace: options.namespace ?? (await readNamespace(file("namespace").path, readFile)),
    proxy: chooseProxy(server, env),
    credentials,
    origin: source,
    inCluster: true,
  };
}

async function exists(path: string, readFile: ReadFile): Promise<boolean> {
  try {
    await readFile(path);
    return true;
  } catch (error) {
    // Anything but absence is told by whoever reads the file next.
    return !isMissing(error);
  }
}

async function readNamespace(path: string, readFile: ReadFile): Promise<string> {
  if (!(await exists(path, readFile))) return "default";
  return (await readFile(path)).trim() || "default";
}
