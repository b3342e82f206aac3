import type { Clock } from "../clock/clock.ts";
import type { Logger } from "../observe/logger.ts";
import type { ClusterConfig, CredentialSource } from "./cluster-config.ts";
import { type FieldPlace, fieldOf, invalidConfig } from "./config-field.ts";
import { materialCredential } from "./credential-material.ts";
import { execCredential } from "./exec-credential.ts";
import type { KubeconfigCluster } from "./kubeconfig.ts";
import type { ChosenContext } from "./kubeconfig-context.ts";
import { execPluginOf } from "./kubeconfig-exec.ts";
import { caOf, userMaterial } from "./kubeconfig-material.ts";
import { chooseProxy, type Environment, hostOf, isLoopback, readProxy } from "./proxy-choice.ts";
import type { ReadFile } from "./read-file.ts";
import { joinedCredential } from "./renewed-credential.ts";
import type { RunCommand } from "./run-command.ts";

/** What access to a cluster leans on outside this process. */
export interface AccessOptions {
  readonly clock: Clock;
  readonly env: Environment;
  readonly readFile: ReadFile;
  readonly runCommand: RunCommand;
  readonly log: Logger;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The access that a context of a kubeconfig gives. Files that it names are read once here, so that a wrong path shows
 * at the start; a plugin is not run before it is needed. As with kubectl, credentials are not sent where others could
 * read them: over http, other than straight to this machine.
 *
 * @throws CodedError `InvalidConfig`, or `CredentialFailed` for a file.
 */
export async function accessOf(chosen: ChosenContext, options: AccessOptions): Promise<ClusterConfig> {
  const { cluster, user } = chosen;
  const server = readServer(cluster.server, fieldOf(cluster.place, "server"));
  const ca = caOf(cluster);
  if (ca !== undefined && cluster.insecureSkipVerify) {
    throw invalidConfig(
      fieldOf(cluster.place, "insecure-skip-tls-verify"),
      "is true beside a certificate authority, give only one",
    );
  }
  const proxy = proxyOf(cluster, server, options.env);
  const own = userMaterial(user);
  const unseen = goesUnseen(server, proxy);
  if (!unseen) options.log.warn("Credentials are not sent to a server without TLS", { server });
  const { serverName, insecureSkipVerify } = cluster;
  const fixed = materialCredential(
    { ...(unseen ? own : { headers: {} }), ca, serverName, insecureSkipVerify },
    options,
  );
  await fixed.current(options.signal);
  return {
    server,
    namespace: chosen.namespace,
    proxy,
    credentials: unseen ? withExec(fixed, chosen, { ...options, server }) : fixed,
    origin: chosen.origin,
    inCluster: false,
  };
}

/**
 * A base URL without a trailing slash. @throws CodedError `InvalidConfig`, without the value: it may hold a password.
 */
export function readServer(server: string | undefined, place: FieldPlace): string {
  if (server === undefined) throw invalidConfig(place, "is missing, give the URL of the API server");
  const url = URL.canParse(server) ? new URL(server) : undefined;
  const usable = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === undefined || !usable || url.search !== "" || url.hash !== "") {
    throw invalidConfig(place, "is no URL of an API server, give one such as https://host:6443");
  }
  if (url.username !== "" || url.password !== "")
    throw invalidConfig(place, "holds a login, give username and password of the user");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

function goesUnseen(server: string, proxy: string | undefined): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === "https:" || (proxy === undefined && isLoopback(hostOf(hostname)));
}

function proxyOf({ proxyUrl, place }: KubeconfigCluster, server: string, env: Environment): string | undefined {
  if (proxyUrl === undefined) return chooseProxy(server, env);
  const proxy = readProxy(proxyUrl);
  if ("problem" in proxy) throw invalidConfig(fieldOf(place, "proxy-url"), proxy.problem);
  return proxy.url;
}

/**
 * Adds what the user's plugin gives. A token or a login of the user's own is used instead of a plugin, as kubectl does.
 */
function withExec(
  fixed: CredentialSource,
  { cluster, user }: ChosenContext,
  options: AccessOptions & { readonly server: string },
): CredentialSource {
  if (user.exec === undefined) return fixed;
  const plugin = execPluginOf(user.exec, { cluster, server: options.server, fixed });
  if (user.token !== undefined || user.tokenFile !== undefined || user.username !== undefined) return fixed;
  return joinedCredential(fixed, execCredential(plugin, options));
}
