import { CodedError } from "../error/coded-error.ts";
import { type AnyResource, groupResource } from "../resource/resource.ts";
import { formatKey, type KubeObject, type ObjectKey } from "../wire/object.ts";

/** What the API server is asked, in the words of RBAC. */
export interface ApiCall {
  readonly verb: string;
  /** `""` is the core group. */
  readonly group: string;
  /** The plural, with the subresource: `pods/status`. */
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

const bases = new WeakMap<AnyResource, string>();

function baseOf(resource: AnyResource): string {
  const known = bases.get(resource);
  if (known !== undefined) return known;
  const base = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  bases.set(resource, base);
  return base;
}

/**
 * Names have 253 characters at the most where the server limits them, and a path that is far longer costs the
 * connection it is sent on.
 */
const longestName = 2_048;

/**
 * Names go into the path unescaped on the server's side too: it refuses the same ones (path segment names of
 * apimachinery).
 */
function segment(what: string, name: string, resource: AnyResource): string {
  if (!isPathSegment(name)) {
    const shown = typeof name === "string" ? name.slice(0, 100) : name;
    throw new CodedError(
      "InvalidOption",
      `Cannot address ${groupResource(resource)}: ${what} is ${JSON.stringify(shown)}, give one of 1 to ${longestName} characters that is not "." or ".." and has no "/" or "%"`,
    );
  }
  return encodeURIComponent(name);
}

function isPathSegment(name: string): boolean {
  // Half a surrogate pair is no character.
  if (typeof name !== "string" || name.length > longestName || !name.isWellFormed()) return false;
  return name !== "" && name !== "." && name !== ".." && !/[/%]/.test(name);
}

/**
 * The path of all objects of a kind, in one namespace or in all.
 *
 * @throws CodedError `InvalidOption` for a namespace that cannot be one, or one given for a cluster-scoped kind.
 */
export function collectionPath(resource: AnyResource, namespace?: string): string {
  if (namespace === undefined || namespace === "") return `${baseOf(resource)}/${resource.plural}`;
  if (resource.scope === "Cluster") {
    throw new CodedError(
      "InvalidOption",
      `Cannot address ${groupResource(resource)}: the kind ${resource.kind} is cluster-scoped, leave out namespace ${JSON.stringify(namespace)}`,
    );
  }
  return `${baseOf(resource)}/namespaces/${segment("the namespace", namespace, resource)}/${resource.plural}`;
}

/**
 * The path under which objects of a kind are created: like collectionPath, but a namespaced kind must be given a
 * namespace.
 *
 * @throws CodedError `InvalidOption`.
 */
export function homePath(resource: AnyResource, namespace: string | undefined): string {
  if (resource.scope === "Namespaced" && (namespace === undefined || namespace === "")) {
    throw new CodedError(
      "InvalidOption",
      `Cannot address ${groupResource(resource)}: the kind ${resource.kind} is namespaced, give a namespace`,
    );
  }
  return collectionPath(resource, namespace);
}

/**
 * The path of one object, or of a subresource of it.
 *
 * @throws CodedError `InvalidOption` when the key has no name, or a namespaced kind is given none.
 */
export function objectPath(resource: AnyResource, key: ObjectKey, subresource?: string): string {
  const path = `${homePath(resource, key.namespace)}/${segment("the name", key.name, resource)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** What is asked, in a few words for errors: `patch pods/status a/b`, `list pods in namespace a`. */
export function describeCall(call: ApiCall): string {
  const { verb, resource, namespace, name } = call;
  if (name !== undefined) return `${verb} ${resource} ${formatKey({ namespace, name })}`;
  return namespace === undefined ? `${verb} ${resource}` : `${verb} ${resource} in namespace ${namespace}`;
}

/** The same for an object that was read. */
export function describeWrite(verb: string, resource: AnyResource, object: KubeObject, subresource?: string): string {
  const { name, namespace } = object.metadata;
  const { group, plural } = resource;
  return describeCall({
    verb,
    group,
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    namespace,
    name,
  });
}

/** Reads back what a request to a path asks for; undefined for a path that is no resource, such as `/version`. */
export function readApiCall(method: string, path: string, watch: boolean): ApiCall | undefined {
  const [root, ...rest] = path
    .split("/")
    .filter((part) => part !== "")
    .map(decode);
  const group = root === "api" ? "" : root === "apis" ? rest.shift() : undefined;
  if (group === undefined || rest.shift() === undefined) return undefined;
  let namespace: string | undefined;
  // `namespaces/a` and its two subresources are the Namespace itself; anything else below is an object in it.
  if (
    rest[0] === "namespaces" &&
    rest.length > 2 &&
    !(rest.length === 3 && /^(?:status|finalize)$/.test(rest[2] ?? ""))
  ) {
    namespace = rest[1];
    rest.splice(0, 2);
  }
  const [plural, name, ...sub] = rest;
  if (plural === undefined) return undefined;
  return { verb: verbOf(method, name, watch), group, resource: [plural, ...sub].join("/"), namespace, name };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function verbOf(method: string, name: string | undefined, watch: boolean): string {
  switch (method) {
    case "GET":
      return watch ? "watch" : name === undefined ? "list" : "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    default:
      return name === undefined ? "deletecollection" : "delete";
  }
}
