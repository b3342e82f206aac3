import type { Enqueued } from "../event/request.ts";
import type { SourceEvent } from "../event/source-event.ts";
import type { Context } from "../source/source.ts";
import { type KubeObject, keyOf } from "../wire/object.ts";

/**
 * A request for the object of the event itself. An event that reaches it without a Kubernetes object, which types rule
 * out but a channel without types does not, causes a warning and no request.
 */
export function enqueueRequestForObject(event: SourceEvent<KubeObject>, { log }: Context): readonly Enqueued[] {
  const object: KubeObject | undefined = event.object;
  if (typeof object?.metadata?.name !== "string") {
    log.warn("Event carries no Kubernetes object: map it with enqueueRequestsFromMapFunc or enqueueAll", {
      type: event.type,
    });
    return [];
  }
  return [keyOf(object)];
}
