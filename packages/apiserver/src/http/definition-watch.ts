import { formatTime } from "farwatch";
import { nextDefinitionStatus } from "../admit/definition/accept-names.ts";
import { type DefinitionStatus, isEstablished, statusOf } from "../admit/definition/definition.ts";
import { recordUpdate } from "../patch/record-update.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { kindFromCrd } from "../registry/crd-kind.ts";
import { sameJson } from "../schema/plain-object.ts";
import { objectKey } from "../store/collection.ts";
import { resourceId } from "../store/store.ts";
import type { ServerCore } from "../verb/server-core.ts";

const definitions = resourceId({ group: "apiextensions.k8s.io", plural: "customresourcedefinitions" });

export interface DefinitionWatch {
  /** Looks at all definitions anew, after the store has gone to another state. */
  readAll(): void;
}

/**
 * Accepts the names of definitions, establishes them, and serves what they define: in the tick after each change, so
 * that whoever has created a definition finds its kind served.
 */
export function watchDefinitions({ clock, store, registry }: ServerCore): DefinitionWatch {
  /** Those that are served, by key, as their kinds were made of them. */
  const served = new Map<string, StoredObject>();

  const step = (key: string): void => {
    const definition = store.get(definitions, key);
    if (definition === undefined) return;
    const now = formatTime(clock.now());
    const status = nextDefinitionStatus(definition, store.list(definitions), now);
    if (status !== undefined) {
      writeStatus(key, definition, { status, now }).catch((error: unknown) => {
        queueMicrotask(() => {
          throw error;
        });
      });
      return;
    }
    const before = served.get(key);
    if (!isEstablished(definition) || (before !== undefined && definesTheSame(before, definition))) return;
    served.set(key, definition);
    registry.put(kindFromCrd(definition), store.version);
  };
  /** As a client that writes the status; whoever writes meanwhile wins, and is looked at in turn. */
  const writeStatus = async (
    key: string,
    definition: StoredObject,
    { status, now }: { readonly status: DefinitionStatus; readonly now: string },
  ): Promise<void> => {
    const after = { ...definition, metadata: { ...definition.metadata }, status } as DraftObject;
    const kind = registry.findKind("apiextensions.k8s.io", "CustomResourceDefinition");
    const version = kind?.versions[0];
    if (kind === undefined || version === undefined) return;
    const owner = { kind, version, subresource: "status", manager: "kube-apiserver", now } as const;
    await recordUpdate({ ...owner, convert: (object) => object, before: definition, after });
    if (store.get(definitions, key) === definition) store.replace(definitions, key, after);
  };
  /** Changes of the store are made after those who listen to the one before have all heard of it. */
  const soon = (key: string): void => queueMicrotask(() => step(key));

  const readAll = (): void => {
    served.clear();
    for (const kind of [...registry.kinds]) if (kind.custom) registry.remove(kind.group, kind.plural);
    for (const definition of store.list(definitions)) step(objectKey(definition.metadata));
  };
  readAll();
  store.watch(definitions, store.version, ({ type, key, object }) => {
    if (type !== "DELETED") return soon(key);
    served.delete(key);
    const kind = kindFromCrd(object);
    registry.remove(kind.group, kind.plural);
    // A name that it had may be what another definition waits for.
    for (const definition of store.list(definitions)) soon(objectKey(definition.metadata));
  });
  return { readAll };
}

/**
 * A change of conditions alone makes no other kind, so that what was prepared for it stays good; the beginning of its
 * end does.
 */
function definesTheSame(before: StoredObject, after: StoredObject): boolean {
  const what = (definition: StoredObject): unknown => [
    definition.spec,
    statusOf(definition).acceptedNames,
    definition.metadata.deletionTimestamp === undefined,
  ];
  return sameJson(what(before), what(after));
}
