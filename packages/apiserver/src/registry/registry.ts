import type { Kind, KindVersion } from "./kind.ts";

/** A kind in one of its versions. */
export interface ServedKind {
  readonly kind: Kind;
  readonly version: KindVersion;
}

/** All kinds that are served now. */
export interface Registry {
  readonly kinds: Iterable<Kind>;
  /** Bumped by every change: what is derived from the kinds may be kept until then. */
  readonly revision: number;
  find(group: string, plural: string): Kind | undefined;
  /** The kind in a version that is served. */
  findServed(group: string, version: string, plural: string): ServedKind | undefined;
  /** By its Kind instead of its plural. */
  findKind(group: string, kind: string): Kind | undefined;
  /**
   * The version of the store at which a kind began to be served: no watch goes back behind it. 0 for one that always
   * was.
   */
  servedSince(kind: Kind): number;
  /** Adds a kind, or replaces the one of its group and plural; `since` counts for one that is new. */
  put(kind: Kind, since?: number): void;
  remove(group: string, plural: string): void;
}

export function createRegistry(builtIn: readonly Kind[]): Registry {
  const kinds = new Map<string, Kind>();
  let revision = 0;
  const id = (group: string, plural: string): string => `${group}/${plural}`;

  const since = new Map<string, number>();

  const put = (kind: Kind, version = 0): void => {
    const key = id(kind.group, kind.plural);
    if (!kinds.has(key)) since.set(key, version);
    kinds.set(key, kind);
    revision += 1;
  };
  for (const kind of builtIn) put(kind);

  return {
    get kinds() {
      return kinds.values();
    },
    get revision() {
      return revision;
    },
    find: (group, plural) => kinds.get(id(group, plural)),
    findServed(group, version, plural): ServedKind | undefined {
      const kind = kinds.get(id(group, plural));
      const served = kind?.versions.find((one) => one.version === version && one.served);
      return kind === undefined || served === undefined ? undefined : { kind, version: served };
    },
    findKind(group, name): Kind | undefined {
      for (const kind of kinds.values()) if (kind.group === group && kind.kind === name) return kind;
      return undefined;
    },
    servedSince: ({ group, plural }) => since.get(id(group, plural)) ?? 0,
    put,
    remove(group, plural): void {
      if (kinds.delete(id(group, plural))) revision += 1;
    },
  };
}

/** `example.farwatch.dev/v1`, or `v1` for the core group. */
export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

/** A GroupVersionKind as Go prints it: `example.farwatch.dev/v1, Kind=Widget`, `/v1, Kind=Pod`. */
export function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
