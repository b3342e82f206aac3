import { createHash } from "node:crypto";
import type { JsonObject } from "farwatch";
import type { Kind, KindVersion } from "../registry/kind.ts";
import { apiVersionOf, type Registry } from "../registry/registry.ts";
import { typeNameOf } from "../registry/type-table.ts";
import { addCustomKind, customSchemaName } from "./open-api-custom.ts";
import type { BodySchemas } from "./open-api-operation.ts";
import { kindPaths, resourceListPath } from "./open-api-path.ts";
import { createSchemaCollection, type SchemaCollection } from "./open-api-type.ts";

interface ServedKindVersion {
  readonly kind: Kind;
  readonly version: KindVersion;
}

/** The documents of a registry, each made when it is first asked for. */
interface Documents {
  readonly revision: number;
  /** By path: `apis/apps/v1`. */
  readonly served: ReadonlyMap<string, readonly ServedKindVersion[]>;
  readonly made: Map<string, JsonObject>;
  readonly hashes: Map<string, string>;
}

const documentsOf = new WeakMap<Registry, Documents>();

function documents(registry: Registry): Documents {
  const known = documentsOf.get(registry);
  if (known?.revision === registry.revision) return known;
  const served = new Map<string, ServedKindVersion[]>();
  for (const kind of registry.kinds) {
    for (const version of kind.versions.filter((one) => one.served)) {
      const path = `${kind.group === "" ? "api" : "apis"}/${apiVersionOf(kind.group, version.version)}`;
      served.set(path, [...(served.get(path) ?? []), { kind, version }]);
    }
  }
  const fresh: Documents = { revision: registry.revision, served, made: new Map(), hashes: new Map() };
  documentsOf.set(registry, fresh);
  return fresh;
}

/** `/openapi/v3`: where the document of each version of a group is, with a digest of all that it is made from. */
export function openApiIndex(registry: Registry): JsonObject {
  const { served } = documents(registry);
  const entries = [...served.keys()]
    .sort()
    .map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${openApiHash(registry, path)}` }]);
  return { paths: Object.fromEntries(entries) };
}

/**
 * The hash of a document; undefined where there is none. What the built-in kinds are made from changes with the program
 * alone.
 */
export function openApiHash(registry: Registry, path: string): string | undefined {
  const { served, hashes } = documents(registry);
  const kinds = served.get(path);
  if (kinds === undefined) return undefined;
  const known = hashes.get(path);
  if (known !== undefined) return known;
  const sources = kinds.map(({ kind, version }) => {
    const { versions: _versions, ...names } = kind;
    return kind.custom ? { names, version } : { names, subresources: version.subresources };
  });
  const hash = createHash("sha512").update(JSON.stringify(sources)).digest("hex").toUpperCase();
  hashes.set(path, hash);
  return hash;
}

/**
 * The document at `/openapi/v3/` and this path, `apis/apps/v1`; undefined where none is. Of built-in kinds it has all
 * facts and no descriptions, of custom kinds what their definition has. Kept until a kind comes or goes.
 */
export function openApiDocument(registry: Registry, path: string): JsonObject | undefined {
  const { served, made } = documents(registry);
  const kinds = served.get(path);
  if (kinds === undefined) return undefined;
  const known = made.get(path);
  if (known !== undefined) return known;
  const document = createDocument(kinds);
  made.set(path, document);
  return document;
}

function createDocument(served: readonly ServedKindVersion[]): JsonObject {
  const collection = createSchemaCollection();
  const paths: Record<string, JsonObject> = {};
  for (const { kind, version } of served)
    Object.assign(paths, kindPaths(kind, version, bodySchemas({ kind, version }, collection)));
  const [first] = served;
  if (first !== undefined && !first.kind.custom) {
    const list = collection.reference("meta.v1.APIResourceList");
    const [path, item] = resourceListPath(first.kind.group, first.version.version, list);
    paths[path] = item;
  }
  return {
    openapi: "3.0.0",
    info:
      first?.kind.custom === true
        ? { title: "Kubernetes CRD Swagger", version: "v0.1.0" }
        : { title: "Kubernetes", version: "1.35" },
    paths: sorted(paths),
    components: {
      schemas: sorted(collection.schemas),
      securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
    },
  };
}

function bodySchemas({ kind, version }: ServedKindVersion, collection: SchemaCollection): BodySchemas {
  const { group, custom } = kind;
  const type = (name: string): string | undefined => typeNameOf({ group, version: version.version, kind: name });
  const ofTable = (name: string): JsonObject | undefined => {
    const found = type(name);
    return found === undefined ? undefined : collection.reference(found);
  };
  const reference = (name: string): JsonObject => collection.reference(name);
  const body: BodySchemas["body"] = (gvk) => collection.reference(typeNameOf(gvk) ?? gvk.kind);
  if (!custom)
    return {
      object: ofTable(kind.kind) ?? {},
      list: kind.verbs.includes("list") ? ofTable(kind.listKind) : undefined,
      reference,
      body,
    };
  addCustomKind(kind, version, collection);
  const ref = (name: string): JsonObject => ({
    $ref: `#/components/schemas/${customSchemaName(group, version.version, name)}`,
  });
  return { object: ref(kind.kind), list: ref(kind.listKind), reference, body };
}

function sorted(object: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)));
}
