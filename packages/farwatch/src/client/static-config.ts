import { systemClock } from "../clock/system-clock.ts";
import { silentLogger } from "../observe/logger.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { type FieldPlace, fieldOf } from "./config-field.ts";
import { type Material, materialCredential } from "./credential-material.ts";
import { readServer } from "./kubeconfig-access.ts";
import { diskReader } from "./read-file.ts";

export interface StaticConfigOptions {
  /** http or https URL; may have a path. */
  readonly server: string;
  /** A bearer token; without one, requests are anonymous. */
  readonly token?: string | undefined;
  /** PEM certificates that are trusted instead of the system's. */
  readonly ca?: string | undefined;
  /** Default `default`. */
  readonly namespace?: string | undefined;
  /** Trusts any certificate. */
  readonly insecureSkipVerify?: boolean | undefined;
}

/**
 * Access to one server with what is given here and nothing else: no file, no environment, no proxy. For tests and small
 * programs; everything else wants `loadConfig`.
 *
 * @throws CodedError `InvalidConfig` when the server is no URL; `current` of its credentials when token or ca are no
 * such thing.
 */
export function staticConfig(options: StaticConfigOptions): ClusterConfig {
  const place: FieldPlace = { source: "the static configuration", path: "" };
  const inline = (name: "token" | "ca"): Material | undefined => {
    const text = options[name];
    return text === undefined ? undefined : { type: "inline", text, place: fieldOf(place, name) };
  };
  return {
    server: readServer(options.server, fieldOf(place, "server")),
    namespace: options.namespace ?? "default",
    proxy: undefined,
    credentials: materialCredential(
      { token: inline("token"), ca: inline("ca"), headers: {}, insecureSkipVerify: options.insecureSkipVerify },
      // Nothing is read from a file, and nothing is ever due.
      { clock: systemClock, readFile: diskReader(systemClock), log: silentLogger },
    ),
    origin: place.source,
    inCluster: false,
  };
}
