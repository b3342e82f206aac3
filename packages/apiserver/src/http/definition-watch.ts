import { kindFromCrd } from "../registry/crd-kind.ts";
import { resourceId } from "../store/store.ts";
import type { ServerCore } from "../verb/server-core.ts";

const definitions = resourceId({ group: "apiextensions.k8s.io", plural: "customresourcedefinitions" });

/** Serves the kinds that definitions define, from the tick in which they are stored. */
export function watchDefinitions({ store, registry }: ServerCore): void {
  for (const definition of store.list(definitions)) registry.put(kindFromCrd(definition));
  store.watch(definitions, store.version, ({ type, object }) => {
    const kind = kindFromCrd(object);
    if (type === "DELETED") registry.remove(kind.group, kind.plural);
    else registry.put(kind);
  });
}
