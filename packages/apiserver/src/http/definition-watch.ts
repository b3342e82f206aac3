import { kindFromCrd } from "../registry/crd-kind.ts";
import { resourceId } from "../store/store.ts";
import type { ServerCore } from "../verb/server-core.ts";

const definitions = resourceId({ group: "apiextensions.k8s.io", plural: "customresourcedefinitions" });

export interface DefinitionWatch {
  /** Looks at all definitions anew, after the store has gone to another state. */
  readAll(): void;
}

/** Serves the kinds that definitions define, from the tick in which they are stored. */
export function watchDefinitions({ store, registry }: ServerCore): DefinitionWatch {
  const readAll = (): void => {
    for (const kind of [...registry.kinds]) if (kind.custom) registry.remove(kind.group, kind.plural);
    for (const definition of store.list(definitions)) registry.put(kindFromCrd(definition), store.version);
  };
  readAll();
  store.watch(definitions, store.version, ({ type, object }) => {
    const kind = kindFromCrd(object);
    if (type === "DELETED") registry.remove(kind.group, kind.plural);
    else registry.put(kind, store.version);
  });
  return { readAll };
}
