import type { JsonObject, ObjectKey } from "farwatch";
import type { User } from "../authorize/user.ts";
import { notFound } from "../failure/api-error.ts";
import type { KindVerb } from "../registry/kind.ts";
import type { GroupResource } from "../registry/object-reader.ts";
import { createObjectReader } from "../store/store-reader.ts";
import { createObject } from "../verb/create.ts";
import { removeObject } from "../verb/delete.ts";
import { readDeleteOptions } from "../verb/delete-option.ts";
import { patchObject } from "../verb/patch.ts";
import type { ResourceRequest } from "../verb/resource-request.ts";
import type { ServerCore } from "../verb/server-core.ts";
import type { ClusterAccess } from "./cluster-access.ts";

const user: User = { name: "system:kube-controller-manager", groups: ["system:masters", "system:authenticated"] };

interface Asked {
  readonly verb: KindVerb;
  readonly key?: ObjectKey;
  readonly namespace?: string | undefined;
  readonly subresource?: string | undefined;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** The controllers' way to the server: through its verbs, as any client's requests go. */
export function createClusterAccess(core: ServerCore, signal: AbortSignal): ClusterAccess {
  const requestOf = (resource: GroupResource, asked: Asked): ResourceRequest => {
    const kind = core.registry.find(resource.group, resource.resource);
    const version =
      kind?.versions.find((one) => one.version === kind.storageVersion) ?? kind?.versions.find((one) => one.served);
    if (kind === undefined || version === undefined) throw notFound({ ...resource, name: asked.key?.name });
    const { verb, key, namespace = key?.namespace, subresource, body, contentType = "application/json", query } = asked;
    return {
      verb,
      served: { kind, version },
      namespace: kind.namespaced ? namespace : undefined,
      name: key?.name,
      subresource,
      query: new URLSearchParams(query),
      user,
      userAgent: "kube-controller-manager",
      contentType,
      body: body === undefined ? undefined : { value: body },
      signal,
      warn: () => {},
    };
  };

  const patch = async (resource: GroupResource, asked: Omit<Asked, "verb">): Promise<void> => {
    await patchObject(core, requestOf(resource, { verb: "patch", ...asked }));
  };

  return {
    ...createObjectReader(core.store),
    kinds: () => core.registry.kinds,
    watchAll(listener) {
      const resources = new Map<string, GroupResource>();
      return core.store.watch(undefined, core.store.version, ({ resource: id, type, object, old }) => {
        let resource = resources.get(id);
        if (resource === undefined) {
          const [group = "", plural = ""] = id.split("/");
          resource = { group, resource: plural };
          resources.set(id, resource);
        }
        listener({ resource, type, object, old });
      });
    },
    async create(resource, object): Promise<void> {
      await createObject(
        core,
        requestOf(resource, { verb: "create", namespace: object.metadata.namespace, body: object }),
      );
    },
    patch: (resource, key, body: JsonObject, options) =>
      patch(resource, { key, body, contentType: "application/merge-patch+json", subresource: options?.subresource }),
    apply: (resource, object, fieldManager) =>
      patch(resource, {
        key: { name: object.metadata.name ?? "", namespace: object.metadata.namespace },
        body: object,
        contentType: "application/apply-patch+yaml",
        query: { fieldManager, force: "true" },
      }),
    async remove(resource, key, { uid, resourceVersion, propagationPolicy }): Promise<void> {
      const preconditions = { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
      const options = readDeleteOptions(new URLSearchParams(), { value: { propagationPolicy, preconditions } });
      await removeObject(core, requestOf(resource, { verb: "delete", key }), options);
    },
  };
}
