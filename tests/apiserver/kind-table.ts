import { builtInKinds, type Kind, type Subresource } from "@farwatch/apiserver/built-in";
import { httpCall } from "@farwatch/testing";
import { minimalObjects } from "./minimal-objects.ts";

/** Creates an object in its collection, without storing it, and gives the answer. */
export type DryCreate = (
  collection: string,
  object: Readonly<Record<string, unknown>>,
) => Promise<Record<string, unknown>>;

/** Creates nothing: dry run is as good, and leaves nothing behind. */
export function dryCreate({
  url,
  token,
  ca,
}: {
  readonly url: string;
  readonly token: string;
  readonly ca?: string;
}): DryCreate {
  return async (collection, object) => {
    const { status, text } = await httpCall(`${url}${collection}?dryRun=All`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(object).replaceAll("NAMESPACE", "default"),
      ...(ca === undefined ? {} : { ca }),
    });
    if (status !== 201) throw new Error(`${collection} answers ${status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
}

/** The tables of the built-in kinds in packages/apiserver/README.md, with the defaults as a server serves them. */
export async function kindTables(create: DryCreate): Promise<string> {
  const rows = builtInKinds().map((kind) => [
    kind.group === "" ? "core" : kind.group,
    kind.versions.map(({ version }) => version).join(", "),
    kind.kind,
    kind.namespaced ? "Namespaced" : "Cluster",
    kind.shortNames.map(code).join(" "),
    verbsText(kind),
    (kind.versions[0]?.subresources ?? []).map(subresourceText).join(" "),
  ]);
  const kinds = table(["group", "versions", "kind", "scope", "short names", "verbs", "subresources"], rows);
  const defaults: (readonly string[])[] = [];
  for (const object of minimalObjects) {
    const answer = await create(collectionOf(object), object);
    const added = [...leaves(answer)].filter(
      ([path, value]) => !given(object, path) && !leftOut.test(path) && !nothing.has(value),
    );
    if (added.length === 0) continue;
    // Go's order of fields is no fact of the defaults.
    added.sort(([one], [other]) => (one < other ? -1 : 1));
    defaults.push([object.apiVersion, object.kind, added.map(([path, value]) => code(`${path}: ${value}`)).join(", ")]);
  }
  return `${kinds}\n\n${table(["version", "kind", "what is set where a client sets nothing"], defaults)}`;
}

function collectionOf({ apiVersion, kind: name }: { readonly apiVersion: string; readonly kind: string }): string {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const kind = builtInKinds().find((one) => one.group === group && one.kind === name);
  if (kind === undefined) throw new Error(`No built-in kind ${apiVersion} ${name}`);
  return `${group === "" ? "/api" : `/apis/${group}`}/${version}${kind.namespaced ? "/namespaces/default" : ""}/${kind.plural}`;
}

/** Metadata and status are no defaults, addresses are new each time, and a pod's template has what a Pod has. */
const leftOut =
  /^(?:kind|apiVersion)$|^(?:metadata|status)\b|^spec\.clusterIPs?\b|emplate\.|\bkube-api-access|controller-uid/;
/** What Go writes for nothing. */
const nothing: ReadonlySet<string> = new Set(["{}", "null", '""']);

const allVerbs = 8;

function verbsText({ verbs }: Kind): string {
  if (verbs.length === allVerbs) return "all";
  return verbs.length > 1 ? "all but deletecollection" : verbs.join(" ");
}

/** What a kubelet would answer is known and not served. */
function subresourceText({ name, body }: Subresource): string {
  return name === "log" || body?.kind.endsWith("Options") === true ? `(${code(name)})` : code(name);
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function given(object: unknown, path: string): boolean {
  let value = object;
  for (const step of path.split(/\.|\[|\]\.?/).filter((one) => one !== "")) {
    if (typeof value !== "object" || value === null) return false;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value !== undefined;
}

/** Each value that holds no others, by its path. */
function* leaves(value: unknown, path = ""): Iterable<readonly [string, string]> {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0)
    yield [path, JSON.stringify(value)];
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* leaves(item, `${path}[${index}]`);
  else for (const [name, each] of Object.entries(value)) yield* leaves(each, path === "" ? name : `${path}.${name}`);
}
