import { writeFile } from "node:fs/promises";

/** Who a kubeconfig is for: a bearer token, or a client certificate as PEM. */
export type KubeconfigUser = { readonly token: string } | { readonly cert: string; readonly key: string };

export interface KubeconfigOptions {
  /** Base URL of the API server. */
  readonly url: string;
  /** PEM of the authority that signed its certificate; none for plain HTTP. */
  readonly ca?: string | undefined;
  readonly user: KubeconfigUser;
  readonly namespace?: string | undefined;
  /** Of cluster, user and context; default `farwatch-test`. */
  readonly name?: string | undefined;
}

/** The kubeconfig format with one cluster, one user and one context, each of the same name. */
export interface Kubeconfig {
  readonly apiVersion: "v1";
  readonly kind: "Config";
  readonly clusters: readonly {
    readonly name: string;
    readonly cluster: { readonly server: string; readonly "certificate-authority-data"?: string };
  }[];
  readonly users: readonly {
    readonly name: string;
    readonly user:
      | { readonly token: string }
      | { readonly "client-certificate-data": string; readonly "client-key-data": string };
  }[];
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string; readonly namespace?: string };
  }[];
  readonly "current-context": string;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Everything inline, so that the object works wherever it is taken. */
export function kubeconfigFor(options: KubeconfigOptions): Kubeconfig {
  const { url, ca, user, namespace, name = "farwatch-test" } = options;
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name, cluster: { server: url, ...(ca === undefined ? {} : { "certificate-authority-data": base64(ca) }) } },
    ],
    users: [
      {
        name,
        user:
          "token" in user
            ? { token: user.token }
            : { "client-certificate-data": base64(user.cert), "client-key-data": base64(user.key) },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) } }],
    "current-context": name,
  };
}

/** Writes a kubeconfig as JSON, which is YAML too, readable by its owner alone. */
export async function writeKubeconfig(file: string, kubeconfig: Kubeconfig): Promise<void> {
  await writeFile(file, `${JSON.stringify(kubeconfig, undefined, 2)}\n`, { mode: 0o600 });
}
