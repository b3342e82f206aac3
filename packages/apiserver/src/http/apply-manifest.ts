import { type ClusterConfig, CodedError, messageOf, systemClock, type Transport } from "farwatch";
import { loadAll } from "js-yaml";

const fieldManager = "farwatch-apply";
/** How long a definition may take until its kind is served. */
const servedWithinMs = 10_000;

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface ServedKind {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Speaks to a server in plain requests, as one user. */
export interface Speaker {
  readonly transport: Transport;
  readonly config: ClusterConfig;
}

/**
 * Applies objects one after the other (server-side, by force, as field manager `farwatch-apply`, unknown fields
 * refused): YAML with any number of documents, lists and plain objects, of any kind that the server serves or that a
 * definition before them brings. Objects without a namespace go to `default`.
 *
 * @throws CodedError `InvalidOption` for what is no manifest, `NotFound` for a kind that is not served, `Invalid` with
 * the server's answer when it refuses.
 */
export async function applyManifests(speaker: Speaker, manifests: readonly (string | object)[]): Promise<void> {
  /** Kinds that definitions among these manifests bring, as `kind.group`. */
  const defined = new Set<string>();
  for (const [index, manifest] of manifests.entries()) {
    for (const object of objectsOf(manifest, index + 1)) {
      await applyOne(speaker, object, defined);
      const { group, names } = (object as { readonly spec?: Partial<DefinitionSpec> }).spec ?? {};
      if (object.kind === "CustomResourceDefinition") defined.add(`${names?.kind}.${group}`);
    }
  }
}

interface DefinitionSpec {
  readonly group: string;
  readonly names: { readonly kind: string };
}

function objectsOf(manifest: string | object, number: number): readonly Manifest[] {
  const documents = typeof manifest === "string" ? documentsOf(manifest, number) : [manifest];
  return documents.flatMap((document, index) => {
    const where = documents.length === 1 ? `manifest ${number}` : `document ${index + 1} of manifest ${number}`;
    return membersOf(document).map((member) => {
      if (isManifest(member)) return member;
      throw new CodedError(
        "InvalidOption",
        `Cannot apply ${where}: an object needs apiVersion, kind and metadata.name, and this is ${JSON.stringify(member)?.slice(0, 200)}`,
      );
    });
  });
}

function documentsOf(yaml: string, number: number): readonly unknown[] {
  try {
    return loadAll(yaml);
  } catch (cause) {
    throw new CodedError("InvalidOption", `Cannot read manifest ${number}: it is no YAML, ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** The objects in a document: none in an empty one, those of a list, else the one that it is. */
function membersOf(document: unknown): readonly unknown[] {
  if (document === null || document === undefined) return [];
  const { kind, items } = document as { readonly kind?: unknown; readonly items?: unknown };
  return typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)
    ? items.flatMap(membersOf)
    : [document];
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== "object" || value === null) return false;
  const { apiVersion, kind, metadata } = value as Readonly<Record<string, unknown>>;
  const { name } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return typeof apiVersion === "string" && typeof kind === "string" && typeof name === "string";
}

async function applyOne(speaker: Speaker, object: Manifest, defined: ReadonlySet<string>): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const [group = ""] = apiVersion.split("/");
  const served = await servedKind(speaker, object, defined.has(`${kind}.${group}`));
  const scope = served.namespaced ? `/namespaces/${encodeURIComponent(metadata.namespace ?? "default")}` : "";
  const query = `fieldManager=${fieldManager}&force=true&fieldValidation=Strict`;
  await askServer(speaker, {
    method: "PATCH",
    path: `${rootOf(apiVersion)}${scope}/${served.name}/${encodeURIComponent(metadata.name)}?${query}`,
    body: object,
    what: `apply ${kind} ${metadata.name}`,
  });
}

/** Waits for a kind whose definition was applied a moment ago. */
async function servedKind(
  speaker: Speaker,
  { apiVersion, kind, metadata }: Manifest,
  isComing: boolean,
): Promise<ServedKind> {
  const lateMs = systemClock.elapsed() + (isComing ? servedWithinMs : 0);
  for (;;) {
    const question = { method: "GET", path: rootOf(apiVersion), what: `find the kinds of ${apiVersion}` };
    const { resources = [] } =
      (await askServer<{ readonly resources?: readonly ServedKind[] }>(speaker, question)) ?? {};
    const served = resources.find((resource) => resource.kind === kind && !resource.name.includes("/"));
    if (served !== undefined) return served;
    if (systemClock.elapsed() >= lateMs) {
      throw new CodedError(
        "NotFound",
        `Cannot apply ${kind} ${metadata.name}: the server serves no ${kind} in ${apiVersion}, apply its definition first`,
      );
    }
    await systemClock.sleep("20ms");
  }
}

function rootOf(apiVersion: string): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** Completes "Cannot …" when it fails. */
  readonly what: string;
}

/** One request and its JSON; undefined for a 404 to a read. @throws CodedError `Invalid` for any other refusal. */
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
    throw new CodedError("Invalid", `Cannot ${what}: the server answers ${response.status}, ${message}`);
  }
  return JSON.parse(text) as T;
}
