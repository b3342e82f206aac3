import type { AnyResource } from "../resource/resource.ts";
import type { Asked } from "../source/request-source.ts";
import { enqueueAll } from "./enqueue-all.ts";
import type { EventHandler } from "./event-handler.ts";

/**
 * The requests that a request source was asked for: the object that was named, whether it exists or not, or all objects
 * of the kind that the selector chooses. For the latter the manager must cache the kind.
 *
 * @throws CodedError; the handler rejects as that of `enqueueAll` does.
 * @example
 * watch(probeNow, enqueueRequested(StorageBucket))
 */
export function enqueueRequested(resource: AnyResource): EventHandler<Asked> {
  return (event, ctx) => {
    const asked = event.object;
    return asked.type === "object" ? [asked.key] : enqueueAll(resource, asked.selector)(event, ctx);
  };
}
