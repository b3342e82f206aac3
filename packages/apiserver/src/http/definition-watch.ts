import { formatTime } from "farwatch";
import { nextDefinitionStatus } from "../admit/definition/accept-names.ts";
import type { StoredObject } from "../registry/api-object.ts";
import { kindFromCrd } from "../registry/crd-kind.ts";
import { objectKey } from "../store/collection.ts";
import { resourceId } from "../store/store.ts";
import type { ServerCore } from "../verb/server-core.ts";

const definitions = resourceId({ group: "apiextensions.k8s.io", plural: "customresourcedefinitions" });

export interface DefinitionWatch {
  /** Looks at all definitions anew, after the store has gone to another state. */
  readAll(): void;
}

/**
 * Accepts the names of definitions, establishes them, and serves what they define: in the tick after each change, so that
 * whoever has created a definition finds its kind served.
 */
export function watchDefinitions({ clock, store, registry }: ServerCore): DefinitionWatch {
  const step = (key: string): void => {
    const definition = store.get(definitions, key);
    if (definition === undefined) return;
    const status = nextDefinitionStatus(definition, store.list(definitions), formatTime(clock.now()));
    if (status !== undefined) {
      store.replace(definitions, key, { ...definition, metadata: { ...definition.metadata }, status });
      return;
    }
    if (isEstablished(definition)) registry.put(kindFromCrd(definition), store.version);
  };
  /** Changes of the store are made after those who listen to the one before have all heard of it. */
  const soon = (key: string): void => queueMicrotask(() => step(key));

  const readAll = (): void => {
    for (const kind of [...registry.kinds]) if (kind.custom) registry.remove(kind.group, kind.plural);
    for (const definition of store.list(definitions)) step(objectKey(definition.metadata));
  };
  readAll();
  store.watch(definitions, store.version, ({ type, key, object }) => {
    if (type !== "DELETED") return soon(key);
    const kind = kindFromCrd(object);
    registry.remove(kind.group, kind.plural);
    // A name that it had may be what another definition waits for.
    for (const definition of store.list(definitions)) soon(objectKey(definition.metadata));
  });
  return { readAll };
}

function isEstablished({ status }: StoredObject): boolean {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some((condition) => condition.type === "Established" && condition.status === "True");
}
