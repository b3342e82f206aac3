import { resolve } from "node:path";
import type { Clock } from "../clock/clock.ts";
import { type ConfigFields, configFields, type FieldPlace, fieldOf, invalidConfig } from "./config-field.ts";

/** The content of a kubeconfig file as it stands there, `{ clusters, users, contexts, "current-context" }`. */
export type KubeconfigObject = Readonly<Record<string, unknown>>;

export interface KubeconfigCluster {
  readonly place: FieldPlace;
  readonly server: string | undefined;
  readonly caFile: string | undefined;
  readonly caData: string | undefined;
  readonly insecureSkipVerify: boolean;
  readonly serverName: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly disableCompression: boolean;
  /** What an exec plugin that wants to know the cluster is given as `config`. */
  readonly execExtension: unknown;
}

export interface KubeconfigExec {
  readonly place: FieldPlace;
  readonly apiVersion: string | undefined;
  readonly command: string | undefined;
  readonly args: readonly string[];
  readonly env: readonly { readonly place: FieldPlace; readonly name: string | undefined; readonly value: string }[];
  readonly installHint: string | undefined;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string | undefined;
}

export interface KubeconfigUser {
  readonly place: FieldPlace;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly certFile: string | undefined;
  readonly certData: string | undefined;
  readonly keyFile: string | undefined;
  readonly keyData: string | undefined;
  readonly exec: KubeconfigExec | undefined;
  readonly hasAuthProvider: boolean;
  readonly as: string | undefined;
  readonly asUid: string | undefined;
  readonly asGroups: readonly string[];
  readonly asUserExtra: Readonly<Record<string, readonly string[]>>;
}

interface KubeconfigContext {
  readonly place: FieldPlace;
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  readonly namespace: string | undefined;
}

/** One or more kubeconfig files, read and their types checked; every path in it is absolute. */
export interface Kubeconfig {
  /** For errors: `kubeconfig /a/b`. */
  readonly source: string;
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
}

export interface KubeconfigSource {
  /** For errors: `kubeconfig /a/b`. */
  readonly source: string;
  /** Relative paths in it start here. */
  readonly directory: string;
}

/**
 * Reads the text of a kubeconfig, YAML or JSON.
 *
 * @throws CodedError `InvalidConfig` that names source and field, or line and column, and repeats nothing of the
 * content.
 */
export async function parseKubeconfig(
  text: string,
  options: KubeconfigSource & { readonly clock: Clock },
): Promise<Kubeconfig> {
  // Loaded when first used: a pod reads its service account and never needs it.
  const { CORE_SCHEMA, load, mergeTag, YAMLException } = await options.clock.outside(import("js-yaml"));
  let content: unknown;
  try {
    content = load(text, { schema: CORE_SCHEMA.withTags(mergeTag) });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { mark, reason } = error;
    // No cause: the parser's own error shows the lines around, and its reasons quote tags and aliases, which a token
    // can look like.
    const where =
      mark === undefined ? "it is broken YAML" : `line ${mark.line + 1}, column ${mark.column + 1} is broken YAML`;
    const said = reason.replace(/\s*(?:"[^"]*"|!<[^>]*>|(?<=characters): .*)/gs, "");
    throw invalidConfig({ source: options.source, path: "" }, `${where} (${said})`);
  }
  return readKubeconfig(content, options);
}

/** Checks the types of a kubeconfig's content. @throws CodedError `InvalidConfig` that names source and field. */
export function readKubeconfig(content: unknown, { source, directory }: KubeconfigSource): Kubeconfig {
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw invalidConfig({ source, path: "" }, "it is no object with clusters, users and contexts");
  }
  const fields = configFields(content, { source, path: "" });
  const kind = fields.string("kind");
  if (kind !== undefined && kind !== "Config") throw invalidConfig(fieldOf(fields.place, "kind"), "is not Config");
  const apiVersion = fields.string("apiVersion");
  if (apiVersion !== undefined && apiVersion !== "v1")
    throw invalidConfig(fieldOf(fields.place, "apiVersion"), "is not v1");
  const pathOf = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolve(directory, path);
  return {
    source,
    currentContext: fields.string("current-context"),
    clusters: named(fields.children("clusters"), (entry) => readCluster(entry.child("cluster"), pathOf)),
    users: named(fields.children("users"), (entry) => readUser(entry.child("user"), pathOf)),
    contexts: named(fields.children("contexts"), (entry) => readContext(entry.child("context"))),
  };
}

function named<T>(entries: readonly ConfigFields[], read: (entry: ConfigFields) => T): ReadonlyMap<string, T> {
  const byName = new Map<string, T>();
  for (const entry of entries) {
    const name = entry.string("name");
    const at = fieldOf(entry.place, "name");
    if (name === undefined) throw invalidConfig(at, "is missing, give a string");
    if (byName.has(name))
      throw invalidConfig(at, `is ${JSON.stringify(name)}, as that of an entry before it, give each its own`);
    byName.set(name, read(entry));
  }
  return byName;
}

type PathOf = (path: string | undefined) => string | undefined;

function readCluster(fields: ConfigFields, pathOf: PathOf): KubeconfigCluster {
  const extension = fields
    .children("extensions")
    .find((entry) => entry.string("name") === "client.authentication.k8s.io/exec");
  return {
    place: fields.place,
    server: fields.string("server"),
    caFile: pathOf(fields.string("certificate-authority")),
    caData: fields.string("certificate-authority-data"),
    insecureSkipVerify: fields.flag("insecure-skip-tls-verify") ?? false,
    serverName: fields.string("tls-server-name"),
    proxyUrl: fields.string("proxy-url"),
    disableCompression: fields.flag("disable-compression") ?? false,
    execExtension: extension?.raw("extension"),
  };
}

function readUser(fields: ConfigFields, pathOf: PathOf): KubeconfigUser {
  return {
    place: fields.place,
    token: fields.string("token"),
    tokenFile: pathOf(fields.string("tokenFile")),
    username: fields.string("username"),
    password: fields.string("password"),
    certFile: pathOf(fields.string("client-certificate")),
    certData: fields.string("client-certificate-data"),
    keyFile: pathOf(fields.string("client-key")),
    keyData: fields.string("client-key-data"),
    exec: fields.has("exec") ? readExec(fields.child("exec"), pathOf) : undefined,
    hasAuthProvider: fields.has("auth-provider"),
    as: fields.string("as"),
    asUid: fields.string("as-uid"),
    asGroups: fields.strings("as-groups"),
    asUserExtra: fields.stringLists("as-user-extra"),
  };
}

function readExec(fields: ConfigFields, pathOf: PathOf): KubeconfigExec {
  const command = fields.string("command");
  return {
    place: fields.place,
    apiVersion: fields.string("apiVersion"),
    // A bare name is looked for in PATH; a path is relative to the file, as kubectl has it.
    command: command !== undefined && /[\\/]/.test(command) ? pathOf(command) : command,
    args: fields.strings("args"),
    env: fields.children("env").map((variable) => ({
      place: variable.place,
      name: variable.string("name"),
      value: variable.string("value") ?? "",
    })),
    installHint: fields.string("installHint"),
    provideClusterInfo: fields.flag("provideClusterInfo") ?? false,
    interactiveMode: fields.string("interactiveMode"),
  };
}

function readContext(fields: ConfigFields): KubeconfigContext {
  return {
    place: fields.place,
    cluster: fields.string("cluster"),
    user: fields.string("user"),
    namespace: fields.string("namespace"),
  };
}
