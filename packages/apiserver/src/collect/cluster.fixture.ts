import { seededRandom } from "farwatch";
import { createVirtualClock, type VirtualClock } from "farwatch/doubles";
import { createAuthenticator } from "../authorize/authenticate.ts";
import { createRbac, rbacRevision } from "../authorize/rbac.ts";
import { createReviews } from "../authorize/reviews.ts";
import { createServiceAccountTokens } from "../authorize/service-account-token.ts";
import { createTokenRequest } from "../authorize/token-request.ts";
import type { DraftMeta, DraftObject, StoredObject } from "../registry/api-object.ts";
import { builtInKinds } from "../registry/built-in-kinds.ts";
import { kindFromCrd } from "../registry/crd-kind.ts";
import type { GroupResource } from "../registry/object-reader.ts";
import { createRegistry } from "../registry/registry.ts";
import { createStore } from "../store/create-store.ts";
import { createObjectReader } from "../store/store-reader.ts";
import { createCodec } from "../verb/codec.ts";
import type { ServerCore } from "../verb/server-core.ts";
import type { ClusterAccess, ObservedChange } from "./cluster-access.ts";
import { createClusterAccess } from "./create-cluster-access.ts";
import { startControllers } from "./start-controllers.ts";

/** A server's stores and verbs with the controllers at work, in virtual time. */
export interface Cluster extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly access: ClusterAccess;
  /** What the controllers failed at: `CONTROLLER KEY: MESSAGE`. */
  readonly failures: readonly string[];
  /** Changes since the last call, as `ADDED configmaps a`. */
  changes(): readonly string[];
  /** Creates an object and lets the controllers have their way. */
  create(resource: string, metadata: DraftMeta, rest?: object): Promise<StoredObject>;
  get(resource: string, name: string, namespace?: string): StoredObject | undefined;
  /** A merge patch of the metadata. */
  patchMeta(resource: string, name: string, metadata: object): Promise<void>;
  remove(resource: string, name: string, propagationPolicy?: "Background" | "Foreground" | "Orphan"): Promise<void>;
  /** Serves a kind of group `example.com`. */
  define(kind: string, scope: "Cluster" | "Namespaced"): Promise<void>;
}

/** The namespace of what is created without one. */
export const home = "home";

const kinds: Readonly<
  Record<string, { readonly apiVersion: string; readonly kind: string; readonly cluster?: boolean }>
> = {
  configmaps: { apiVersion: "v1", kind: "ConfigMap" },
  namespaces: { apiVersion: "v1", kind: "Namespace", cluster: true },
  nodes: { apiVersion: "v1", kind: "Node", cluster: true },
  pods: { apiVersion: "v1", kind: "Pod" },
  secrets: { apiVersion: "v1", kind: "Secret" },
  serviceaccounts: { apiVersion: "v1", kind: "ServiceAccount" },
  events: { apiVersion: "v1", kind: "Event" },
  "rbac.authorization.k8s.io/clusterroles": {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    cluster: true,
  },
  "apiextensions.k8s.io/customresourcedefinitions": {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    cluster: true,
  },
  "example.com/things": { apiVersion: "example.com/v1", kind: "Thing" },
  "example.com/worlds": { apiVersion: "example.com/v1", kind: "World", cluster: true },
};

function resourceOf(text: string): GroupResource {
  const [resource = "", group = ""] = text.split("/").toReversed();
  return { group, resource };
}

function createCore(clock: VirtualClock): ServerCore {
  const random = seededRandom(1);
  let ids = 0;
  const uuid = (): string => {
    ids += 1;
    return `00000000-0000-4000-8000-${String(ids).padStart(12, "0")}`;
  };
  const store = createStore();
  const reader = createObjectReader(store);
  const rbac = createRbac({ reader, revision: rbacRevision(store) });
  const tokens = createServiceAccountTokens({ clock, reader });
  const registry = createRegistry(builtInKinds());
  const definitions = "apiextensions.k8s.io/customresourcedefinitions";
  store.watch(definitions, store.version, ({ type, object }) => {
    const kind = kindFromCrd(object);
    if (type === "DELETED") registry.remove(kind.group, kind.plural);
    else registry.put(kind);
  });
  return {
    clock,
    random,
    store,
    registry,
    codec: createCodec({ converts: () => false, convert: async (_kind, objects) => objects as DraftObject[] }),
    admission: { mutate: async ({ object }) => object, allocate: () => {}, validate: async () => {} },
    authorizer: rbac,
    reviews: createReviews({ rbac, authenticator: createAuthenticator({ serviceAccounts: tokens }) }),
    tokenRequest: createTokenRequest({ clock, reader, tokens, uuid }),
    watches: new Set(),
    uuid,
  };
}

/** Has the namespace `home` already. */
export async function createCluster(options: { readonly rootCertificate?: string } = {}): Promise<Cluster> {
  const clock = createVirtualClock();
  const core = createCore(clock);
  const stop = new AbortController();
  const access = createClusterAccess(core, stop.signal);
  const failures: string[] = [];
  let told: string[] = [];
  /** By name: an object may be gone again when its creation is answered. */
  const added = new Map<string, StoredObject>();
  access.watchAll(({ type, resource, object }: ObservedChange) => {
    if (type === "ADDED") added.set(object.metadata.name, object);
    told.push(`${type} ${resource.resource} ${object.metadata.name}`);
  });
  const controllers = startControllers({
    access,
    clock,
    ...options,
    onFailure: (controller, key, error) => failures.push(`${controller} ${key}: ${String(error)}`),
  });
  const keyOf = (resource: string, name: string, namespace?: string): { name: string; namespace?: string } =>
    kinds[resource]?.cluster === true ? { name } : { name, namespace: namespace ?? home };
  const get: Cluster["get"] = (resource, name, namespace) =>
    access.find(resourceOf(resource), keyOf(resource, name, namespace));

  const cluster: Cluster = {
    clock,
    access,
    failures,
    changes(): readonly string[] {
      const since = told;
      told = [];
      return since;
    },
    async create(resource, metadata, rest = {}) {
      const { apiVersion = "v1", kind = "", cluster: isCluster } = kinds[resource] ?? {};
      const place = isCluster === true ? {} : { namespace: home };
      await access.create(resourceOf(resource), { apiVersion, kind, metadata: { ...place, ...metadata }, ...rest });
      const object = added.get(metadata.name ?? "");
      await clock.settle();
      if (object === undefined) throw new Error(`Cannot find ${metadata.name}: it was not created`);
      return object;
    },
    get,
    async patchMeta(resource, name, metadata) {
      await access.patch(resourceOf(resource), keyOf(resource, name), { metadata: { ...metadata } });
      await clock.settle();
    },
    async remove(resource, name, propagationPolicy = "Background") {
      const uid = get(resource, name)?.metadata.uid ?? "";
      await access.remove(resourceOf(resource), keyOf(resource, name), { uid, propagationPolicy });
      await clock.settle();
    },
    async define(kind, scope) {
      const singular = kind.toLowerCase();
      const plural = `${singular}s`;
      const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
      await cluster.create(
        "apiextensions.k8s.io/customresourcedefinitions",
        { name: `${plural}.example.com` },
        {
          spec: {
            group: "example.com",
            scope,
            names: { plural, singular, kind, listKind: `${kind}List` },
            versions: [{ name: "v1", served: true, storage: true, schema }],
          },
        },
      );
    },
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort();
      await controllers[Symbol.asyncDispose]();
      core.store[Symbol.dispose]();
    },
  };
  await cluster.create("namespaces", { name: home });
  cluster.changes();
  return cluster;
}

/** A reference to an owner. */
export function ownedBy(
  owner: StoredObject,
  rest: { readonly blockOwnerDeletion?: boolean; readonly controller?: boolean } = {},
): { apiVersion: string; kind: string; name: string; uid: string } {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...rest };
}
