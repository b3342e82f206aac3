import { type ClusterConfig, CodedError, type Transport } from "farwatch";
import { loadAll } from "js-yaml";

const fieldManager = "farwatch-apply";

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Discovered {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

/** Speaks to a server in plain requests, as one user. */
export interface Speaker {
  readonly transport: Transport;
  readonly config: ClusterConfig;
}

/**
 * Applies objects one after the other (server-side, by force, as field manager `farwatch-apply`): YAML documents, lists and plain objects, of
 * any kind that the server serves. Objects without a namespace go to `default`.
 *
 * @throws CodedError `InvalidOption` for what is no manifest, `NotFound` for a kind that is not served, `Invalid` with the server's
 * answer when it refuses.
 */
export async function applyManifests(speaker: Speaker, manifests: readonly (string | object)[]): Promise<void> {
  for (const manifest of manifests) {
    for (const document of typeof manifest === "string" ? loadAll(manifest) : [manifest]) {
      for (const object of membersOf(document)) await applyOne(speaker, object);
    }
  }
}

function membersOf(document: unknown): readonly unknown[] {
  if (document === null || document === undefined) return [];
  const { kind, items } = document as { readonly kind?: unknown; readonly items?: readonly unknown[] };
  return kind === "List" && items !== undefined ? items : [document];
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== "object" || value === null) return false;
  const { apiVersion, kind, metadata } = value as Readonly<Record<string, unknown>>;
  const { name } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return typeof apiVersion === "string" && typeof kind === "string" && typeof name === "string";
}

async function applyOne(speaker: Speaker, object: unknown): Promise<void> {
  if (!isManifest(object)) {
    throw new CodedError(
      "InvalidOption",
      `Cannot apply a manifest: it needs apiVersion, kind and metadata.name, and is ${JSON.stringify(object)?.slice(0, 200)}`,
    );
  }
  const { apiVersion, kind, metadata } = object;
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources = [] } =
    (await askServer<Partial<Discovered>>(speaker, { method: "GET", path: root, what: `kinds of ${apiVersion}` })) ??
    {};
  const served = resources.find((resource) => resource.kind === kind && !resource.name.includes("/"));
  if (served === undefined) {
    throw new CodedError(
      "NotFound",
      `Cannot apply ${kind} ${metadata.name}: the server has no ${kind} in ${apiVersion}, apply its definition first`,
    );
  }
  const scope = served.namespaced ? `/namespaces/${encodeURIComponent(metadata.namespace ?? "default")}` : "";
  await askServer(speaker, {
    method: "PATCH",
    path: `${root}${scope}/${served.name}/${encodeURIComponent(metadata.name)}?fieldManager=${fieldManager}&force=true`,
    body: object,
    what: `${kind} ${metadata.name}`,
  });
}

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly what: string;
}

/** One request and its JSON; undefined for a 404 to a read. */
export async function askServer<T>(
  { transport, config }: Speaker,
  { method, path, body, what }: Question,
): Promise<T | undefined> {
  const { headers, tls } = await config.credentials.current();
  const response = await transport.request({
    method,
    url: `${config.server}${path}`,
    headers: {
      ...headers,
      ...(body === undefined
        ? {}
        : { "content-type": method === "PATCH" ? "application/apply-patch+yaml" : "application/json" }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    tls,
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  if (response.status === 404 && method === "GET") return undefined;
  if (response.status >= 300) {
    const { message = text } = text.startsWith("{") ? (JSON.parse(text) as { readonly message?: string }) : {};
    throw new CodedError("Invalid", `Cannot ask the server for ${what}: it answers ${response.status}, ${message}`);
  }
  return JSON.parse(text) as T;
}
