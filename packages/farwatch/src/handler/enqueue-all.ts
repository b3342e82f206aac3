import type { LabelSelector } from "../client/client.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import type { AnyResource } from "../resource/resource.ts";
import { phaseOf } from "../source/phase.ts";
import { keyOf } from "../wire/object.ts";
import type { EventHandler } from "./event-handler.ts";

export interface EnqueueAllOptions {
  /**
   * Spaces the requests over this long: each object has its own place in it, by its uid, and keeps it from event to
   * event. Default 0: all at once.
   */
  readonly spread?: Duration;
  /** Only objects with these labels. */
  readonly labels?: LabelSelector;
  /** Only objects of this namespace; default: all. */
  readonly namespace?: string;
}

/**
 * A request for every object of a kind, whatever the event. The kind must be one that the manager caches; an event that
 * comes before the cache has a whole list waits for it, because a list that is not there yet is not an empty one.
 *
 * @throws CodedError `InvalidDuration`; the handler rejects with `NotCached`, or the context's reason.
 * @example
 * watch(tickerSource({ every: "10m" }), enqueueAll(StorageBucket, { spread: "10m" }))
 */
export function enqueueAll(resource: AnyResource, options: EnqueueAllOptions = {}): EventHandler<unknown> {
  const { spread, labels, namespace } = options;
  const spreadMs = spread === undefined ? 0 : toMs(spread);
  const handler: EventHandler<unknown> = async (_event, { cache, signal }) => {
    // The cache answers a list only from a whole one: it waits for its first sync.
    const objects = await cache.list(resource, { labels, namespace, signal });
    return objects.map((object) =>
      spreadMs === 0 ? keyOf(object) : { ...keyOf(object), after: phaseOf(object.metadata.uid, spreadMs) },
    );
  };
  made.add(handler);
  return handler;
}

/** Handlers of `enqueueAll`: whatever the event, they give the same. */
const made = new WeakSet<EventHandler<unknown>>();

export function isEnqueueAll(handler: EventHandler<unknown>): boolean {
  return made.has(handler);
}
