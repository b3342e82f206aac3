import type { Enqueued } from "../event/request.ts";
import type { SourceEvent } from "../event/source-event.ts";
import type { EventHandler } from "../handler/event-handler.ts";
import { kindSource } from "../source/kind-source.ts";
import type { OwnObject } from "../source/source.ts";
import type { KubeObject } from "../wire/object.ts";
import { requestedAtAnnotation } from "../wire/runtime-annotation.ts";
import { type Watch, watch } from "./watch.ts";

/** On every replica: whatever the event, the one object is to be annotated. */
export function handlerOfOwn({ namespace, name }: OwnObject): EventHandler<unknown> {
  const all: readonly Enqueued[] = [namespace === undefined ? { name } : { namespace, name }];
  return () => all;
}

/**
 * On the leader: the one object is watched, and what its annotation stands for is mapped as the event would have been.
 */
export function watchOfOwn({ resource, namespace, name }: OwnObject, handler: EventHandler<unknown>): Watch {
  const own = kindSource(resource, { namespace, fields: `metadata.name=${name}`, metadataOnly: true });
  return watch(own, (event, ctx) => (asks(event) ? handler(event, ctx) : []));
}

/**
 * An annotation that is there at first counts too: it may have come while nobody led, or before this watch had begun.
 */
function asks(event: SourceEvent<KubeObject>): boolean {
  const token = event.object.metadata.annotations?.[requestedAtAnnotation];
  if (event.type === "create") return token !== undefined;
  return event.type === "update" && token !== event.oldObject.metadata.annotations?.[requestedAtAnnotation];
}
