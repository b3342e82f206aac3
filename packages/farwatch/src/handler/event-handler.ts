import type { Enqueued } from "../event/request.ts";
import type { SourceEvent } from "../event/source-event.ts";
import type { Context } from "../source/source.ts";

/**
 * Maps an event to the requests that it causes. It reads the cache, has no side effects and never sees the queue. When
 * it throws, the event is tried again with backoff, then handed to `onDeadLetter` (promise 3).
 */
export type EventHandler<T> = (event: SourceEvent<T>, ctx: Context) => Iterable<Enqueued> | Promise<Iterable<Enqueued>>;
