import type { Enqueued } from "../event/request.ts";
import type { AnyResource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import type { EventHandler } from "./event-handler.ts";
import { mergeRequests } from "./merge-requests.ts";

export interface EnqueueRequestForOwnerOptions {
  /** Only the owner that is marked as the controller (default), or every owner. */
  readonly onlyController?: boolean;
}

/**
 * A request for the owner of the event's object, where it is of the given group and kind, whatever the version. An
 * update that changes the owner causes requests for the old and the new one. A namespaced owner is in the namespace of
 * what it owns.
 *
 * @example
 * watch(kindSource(ConfigMap), enqueueRequestForOwner(StorageBucket))
 */
export function enqueueRequestForOwner(
  owner: AnyResource,
  { onlyController = true }: EnqueueRequestForOwnerOptions = {},
): EventHandler<KubeObject> {
  const ownersOf = ({ metadata }: KubeObject): Enqueued[] => {
    const { namespace, ownerReferences = [] } = metadata;
    // A cluster-scoped object has no namespaced owners; the server's garbage collector ignores such a reference as
    // well.
    if (owner.scope === "Namespaced" && namespace === undefined) return [];
    return ownerReferences
      .filter(
        ({ apiVersion, kind, controller }) =>
          kind === owner.kind && groupOf(apiVersion) === owner.group && (controller === true || !onlyController),
      )
      .map(({ name }) => (owner.scope === "Namespaced" ? { namespace, name } : { name }));
  };
  return (event) =>
    event.type === "update"
      ? mergeRequests(ownersOf(event.object), ownersOf(event.oldObject))
      : mergeRequests(ownersOf(event.object));
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
