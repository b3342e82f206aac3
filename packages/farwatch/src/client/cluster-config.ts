import type { TlsOptions } from "../transport/transport.ts";

/** What one request needs to be let in. */
export interface Credential {
  /**
   * Lower-case names: `authorization`, and `impersonate-*` for a user that acts as another. A list is one header line
   * an element.
   */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly tls: TlsOptions;
}

/**
 * Where credentials come from: fixed, from files that are read again, from an exec plugin. Several callers at once
 * cause one reload.
 */
export interface CredentialSource {
  /**
   * What to use now; renewed before it expires (promise 11). @throws CodedError `CredentialFailed`, without secrets,
   * naming file or plugin.
   */
  current(signal?: AbortSignal): Promise<Credential>;
  /** The server answered 401 to this one: true when another was found, so that one more try is worth it. */
  refused(credential: Credential, signal?: AbortSignal): Promise<boolean>;
}

/** One cluster as one user: what the rest of the client needs to know. Made by `loadConfig`. */
export interface ClusterConfig {
  /** Base URL without a trailing slash; may have a path. */
  readonly server: string;
  /** The namespace of the context, or of the pod; `default` when nothing says otherwise. */
  readonly namespace: string;
  /** For this cluster's server, after proxy-url, HTTPS_PROXY and NO_PROXY were looked at. */
  readonly proxy: string | undefined;
  readonly credentials: CredentialSource;
  /** For error texts: `context "dev" of kubeconfig /home/a/.kube/config`, `the pod's service account`. */
  readonly origin: string;
  /** True for the pod's own service account: decides defaults such as leader election. */
  readonly inCluster: boolean;
}
