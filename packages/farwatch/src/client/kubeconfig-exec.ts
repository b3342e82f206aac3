import type { CredentialSource } from "./cluster-config.ts";
import { fieldOf, invalidConfig } from "./config-field.ts";
import type { ExecPlugin } from "./exec-credential.ts";
import { execVersions } from "./exec-output.ts";
import type { KubeconfigCluster, KubeconfigExec } from "./kubeconfig.ts";

export interface PluginCluster {
  readonly cluster: KubeconfigCluster;
  readonly server: string;
  /** Knows the certificate authority, from a file or not. */
  readonly fixed: CredentialSource;
}

/** The plugin that a user's `exec` describes. @throws CodedError `InvalidConfig` that names the field. */
export function execPluginOf(exec: KubeconfigExec, about: PluginCluster): ExecPlugin {
  const apiVersion = execVersions.find((version) => version === exec.apiVersion);
  if (apiVersion === undefined)
    throw invalidConfig(fieldOf(exec.place, "apiVersion"), `is none of ${execVersions.join(", ")}`);
  if (exec.command === undefined) throw invalidConfig(fieldOf(exec.place, "command"), "is missing, give a string");
  const mode = exec.interactiveMode ?? (apiVersion.endsWith("/v1") ? undefined : "IfAvailable");
  if (mode === "Always") {
    throw invalidConfig(
      fieldOf(exec.place, "interactiveMode"),
      "is Always, but a controller has no terminal: use a plugin that asks nothing",
    );
  }
  if (mode !== "Never" && mode !== "IfAvailable") {
    throw invalidConfig(fieldOf(exec.place, "interactiveMode"), "is none of Never, IfAvailable, Always");
  }
  const env: Record<string, string> = {};
  for (const { name, value, place } of exec.env) {
    if (name === undefined) throw invalidConfig(fieldOf(place, "name"), "is missing, give a string");
    env[name] = value;
  }
  const { args, command, installHint, place } = exec;
  return {
    apiVersion,
    command,
    args,
    env,
    installHint,
    place,
    cluster: exec.provideClusterInfo ? clusterInfo(about) : undefined,
  };
}

function clusterInfo({ cluster, server, fixed }: PluginCluster): NonNullable<ExecPlugin["cluster"]> {
  if (refersToItself(cluster.execExtension))
    throw invalidConfig(fieldOf(cluster.place, "extensions"), "refer to themselves");
  return async (signal) => {
    const { ca } = (await fixed.current(signal)).tls;
    return {
      server,
      "tls-server-name": cluster.serverName,
      "insecure-skip-tls-verify": cluster.insecureSkipVerify || undefined,
      "certificate-authority-data": ca === undefined ? undefined : Buffer.from(ca).toString("base64"),
      "proxy-url": cluster.proxyUrl,
      "disable-compression": cluster.disableCompression || undefined,
      config: cluster.execExtension,
    };
  };
}

/** YAML's aliases can make what JSON cannot say. */
function refersToItself(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return false;
  } catch {
    return true;
  }
}
