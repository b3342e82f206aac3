import { isDeepStrictEqual } from "node:util";
import { namesAreFree } from "../admit/definition/accept-names.ts";
import { isEstablished, statusOf } from "../admit/definition/definition.ts";
import type { StoredObject } from "../registry/api-object.ts";
import { kindFromCrd } from "../registry/crd-kind.ts";
import { resourceId } from "../store/store.ts";
import type { ServerCore } from "../verb/server-core.ts";

const definitions = resourceId({ group: "apiextensions.k8s.io", plural: "customresourcedefinitions" });

export interface DefinitionWatch {
  /** Looks at all definitions anew, after the store has gone to another state. */
  readAll(): void;
}

/**
 * Serves the kinds that definitions define, from the tick in which they are stored; those whose names another definition has
 * taken are not served before they are established.
 */
export function watchDefinitions({ store, registry }: ServerCore): DefinitionWatch {
  /** By name, as their kinds were made of them. */
  const served = new Map<string, StoredObject>();

  const serve = (definition: StoredObject): void => {
    const { name } = definition.metadata;
    const before = served.get(name);
    if (before !== undefined && definesTheSame(before, definition)) return;
    if (!isEstablished(definition) && !namesAreFree(definition, store.list(definitions))) return;
    served.set(name, definition);
    registry.put(kindFromCrd(definition), store.version);
  };
  const readAll = (): void => {
    served.clear();
    for (const kind of [...registry.kinds]) if (kind.custom) registry.remove(kind.group, kind.plural);
    for (const definition of store.list(definitions)) serve(definition);
  };
  readAll();
  store.watch(definitions, store.version, ({ type, object }) => {
    if (type !== "DELETED") {
      serve(object);
      return;
    }
    served.delete(object.metadata.name);
    const kind = kindFromCrd(object);
    registry.remove(kind.group, kind.plural);
  });
  return { readAll };
}

/** A change of conditions alone makes no other kind, so that what was prepared for it stays good. */
function definesTheSame(before: StoredObject, after: StoredObject): boolean {
  const names = statusOf(before).acceptedNames ?? {};
  return isDeepStrictEqual(before.spec, after.spec) && isDeepStrictEqual(names, statusOf(after).acceptedNames ?? {});
}
