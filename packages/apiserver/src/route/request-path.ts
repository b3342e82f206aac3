import type { KindVerb } from "../registry/kind.ts";

/** What the path of a resource names. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly resource: string;
  readonly name: string | undefined;
  /** `status`, or with a slash what follows it: `proxy/metrics`. */
  readonly subresource: string | undefined;
  /** Of the old form `/api/v1/watch/pods`. */
  readonly watch: boolean;
}

/** Parts of a namespace's path that are subresources of it, and no resource in it. */
const namespaceSubresources: ReadonlySet<string> = new Set(["finalize", "status"]);

/** Paths that were read: a client asks for few objects, again and again. */
const readPaths = new Map<string, ResourcePath>();
const mostPaths = 1_000;

/**
 * Reads `/api/v1/…` and `/apis/GROUP/VERSION/…`; undefined for every other path, the discovery of a version included.
 * An empty part names nothing that is served; the end of a path may be one.
 */
export function readResourcePath(path: string): ResourcePath | undefined {
  const known = readPaths.get(path);
  if (known !== undefined) return known;
  const read = resourcePathOf(path);
  // A longer one names nothing that there is.
  if (read === undefined || path.length > 1_024) return read;
  if (readPaths.size >= mostPaths) readPaths.clear();
  readPaths.set(path, read);
  return read;
}

function resourcePathOf(path: string): ResourcePath | undefined {
  const [root, ...parts] = decode(path).replace(/^\//, "").replace(/\/$/, "").split("/");
  const group = root === "api" ? "" : parts.shift();
  if ((root !== "api" && root !== "apis") || group === undefined || (root === "apis" && group === "")) return undefined;
  const [version, ...below] = parts;
  const watch = below[0] === "watch";
  if (watch) below.shift();
  const [first, second, third] = below;
  if (version === undefined || first === undefined) return undefined;
  const inNamespace = first === "namespaces" && third !== undefined && !namespaceSubresources.has(third);
  const [resource = "", name, ...sub] = inNamespace ? below.slice(2) : below;
  return {
    group,
    version,
    // A namespace is its own: its permissions may be given within it.
    // An empty one stands for all of them.
    namespace: (inNamespace || (resource === "namespaces" && group === "") ? second : undefined) || undefined,
    resource,
    name,
    subresource: sub.length === 0 ? undefined : sub.join("/"),
    watch,
  };
}

/** Decoded as a whole, as Go does: an escaped slash is a slash. */
function decode(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    // Escapes that are none stand for themselves.
    return path;
  }
}

const verbs: ReadonlyMap<string, KindVerb> = new Map([
  ["POST", "create"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
  ["GET", "get"],
  ["HEAD", "get"],
]);

/**
 * The verb of a request, as authorization and admission know it; undefined for a method that has none. HEAD is a GET
 * here, which only custom kinds answer.
 */
export function verbOf(method: string, path: ResourcePath, query: URLSearchParams): KindVerb | undefined {
  const verb = verbs.get(method);
  if (path.name !== undefined && !path.watch) {
    return verb;
  }
  if (verb === "delete") return "deletecollection";
  if (verb !== "get") return verb;
  const watch = query.get("watch");
  return path.watch || (watch !== null && watch !== "false" && watch !== "0") ? "watch" : "list";
}
