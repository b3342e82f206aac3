import { createHash } from "node:crypto";
import { compareVersions } from "../registry/compare-versions.ts";
import type { Kind, KindVerb, KindVersion } from "../registry/kind.ts";
import { apiVersionOf, type Registry } from "../registry/registry.ts";

/** A group and its served versions, the preferred one first. */
interface ServedGroup {
  readonly group: string;
  readonly versions: readonly string[];
  readonly kinds: readonly Kind[];
}

/**
 * All groups with their kinds: the core group first, then built-in ones in their order, then those of custom kinds by
 * name.
 */
function servedGroups({ kinds }: Registry): readonly ServedGroup[] {
  const groups = new Map<string, Kind[]>();
  for (const kind of kinds) {
    const known = groups.get(kind.group);
    if (known === undefined) groups.set(kind.group, [kind]);
    else known.push(kind);
  }
  return [...groups]
    .map(([group, members]) => ({
      group,
      kinds: members,
      versions: [
        ...new Set(
          members.flatMap(({ versions }) => versions.filter(({ served }) => served).map(({ version }) => version)),
        ),
      ].sort(compareVersions),
    }))
    .filter(({ versions }) => versions.length > 0);
}

function resourceEntry(kind: Kind): Readonly<Record<string, unknown>> {
  return {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: verbsOf(kind),
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
    ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    ...(kind.verbs.includes("list") ? { storageVersionHash: storageVersionHash(kind) } : {}),
  };
}

/** Of a kind that goes, those that nothing comes by. */
function verbsOf({ verbs, terminating }: Kind): readonly KindVerb[] {
  return terminating ? verbs.filter((verb) => verb !== "create" && verb !== "patch" && verb !== "update") : verbs;
}

/** Names the version that a kind is stored in, without saying it: eight bytes of the hash of its name. */
function storageVersionHash({ group, kind, storageVersion, storedAs }: Kind): string {
  // The real server still stores definitions in the version that they began with.
  const version = group === "apiextensions.k8s.io" ? "v1beta1" : storageVersion;
  const stored = storedAs ?? { group, version };
  const digest = createHash("sha256").update(`${stored.group}/${stored.version}/${kind}`).digest();
  return digest.subarray(0, 8).toString("base64");
}

/** metav1.APIResourceList of one group and version; undefined when nothing is served there. */
export function resourceList(registry: Registry, group: string, version: string): object | undefined {
  const resources = [...registry.kinds].flatMap((kind) => {
    const served =
      kind.group === group ? kind.versions.find((one) => one.version === version && one.served) : undefined;
    if (served === undefined) return [];
    const subresources = served.subresources.map(({ name, verbs, body }) => ({
      name: `${kind.plural}/${name}`,
      singularName: "",
      namespaced: kind.namespaced,
      ...(body === undefined ? { kind: kind.kind } : { group: body.group, version: body.version, kind: body.kind }),
      verbs: [...verbs],
    }));
    return [resourceEntry(kind), ...subresources];
  });
  if (resources.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    // The core group's list is older than this field.
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf(group, version),
    resources,
  };
}

function groupEntry({ group, versions }: ServedGroup): object {
  const entries = versions.map((version) => ({ groupVersion: apiVersionOf(group, version), version }));
  return { name: group, versions: entries, preferredVersion: entries[0] };
}

/** `/apis`. */
export function groupList(registry: Registry): object {
  const groups = servedGroups(registry).filter(({ group }) => group !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupEntry) };
}

/** `/apis/GROUP`; undefined when nothing is served there. */
export function groupDocument(registry: Registry, group: string): object | undefined {
  const served = servedGroups(registry).find((one) => one.group === group);
  return served === undefined ? undefined : { kind: "APIGroup", apiVersion: "v1", ...groupEntry(served) };
}

/** `/api`. */
export function coreVersions(serverAddress: string): object {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** A document, and what its ETag says. */
export interface TaggedDocument {
  readonly value: object;
  readonly etag: string;
}

const aggregated = new WeakMap<Registry, { readonly revision: number; readonly made: Map<string, TaggedDocument> }>();

/** apidiscovery.k8s.io/v2 APIGroupDiscoveryList of `/api` or of `/apis`; made anew when a kind comes or goes. */
export function aggregatedDiscovery(registry: Registry, which: "api" | "apis"): TaggedDocument {
  let known = aggregated.get(registry);
  if (known?.revision !== registry.revision) {
    known = { revision: registry.revision, made: new Map() };
    aggregated.set(registry, known);
  }
  let document = known.made.get(which);
  if (document === undefined) {
    const value = aggregatedList(registry, which);
    document = { value, etag: createHash("sha512").update(JSON.stringify(value)).digest("hex").toUpperCase() };
    known.made.set(which, document);
  }
  return document;
}

function aggregatedList(registry: Registry, which: "api" | "apis"): object {
  const groups = servedGroups(registry).filter(({ group }) => (group === "") === (which === "api"));
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ group, versions, kinds }) => ({
      metadata: group === "" ? {} : { name: group },
      versions: versions.map((version) => ({
        version,
        resources: kinds.flatMap((kind) => {
          const served = kind.versions.find((one) => one.version === version && one.served);
          return served === undefined ? [] : [aggregatedEntry(kind, served)];
        }),
        freshness: "Current",
      })),
    })),
  };
}

function aggregatedEntry(kind: Kind, { version, subresources }: KindVersion): object {
  // The real server names group and version of built-in kinds nowhere in here: they are those of the entry around.
  const isOfGroup = (body: { readonly group: string; readonly version: string }): boolean =>
    body.group === kind.group && body.version === version;
  const own = { ...(kind.custom ? { group: kind.group, version } : { group: "", version: "" }), kind: kind.kind };
  return {
    resource: kind.plural,
    responseKind: own,
    scope: kind.namespaced ? "Namespaced" : "Cluster",
    singularResource: kind.singular,
    verbs: verbsOf(kind),
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
    ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    ...(subresources.length > 0
      ? {
          subresources: subresources.map(({ name, verbs, body }) => ({
            subresource: name,
            responseKind: body === undefined || isOfGroup(body) ? { ...own, kind: body?.kind ?? own.kind } : body,
            verbs: [...verbs],
          })),
        }
      : {}),
  };
}
