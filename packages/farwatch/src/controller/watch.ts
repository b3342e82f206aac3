import type { EventHandler } from "../handler/event-handler.ts";
import type { Predicate } from "../predicate/predicate.ts";
import type { Source } from "../source/source.ts";

declare const eventType: unique symbol;

/** A source, what its events cause, and which of them count. Made by `watch`; its event type is sealed in. */
export interface Watch {
  readonly source: Source<unknown>;
  readonly handler: EventHandler<unknown>;
  readonly predicates: readonly Predicate<unknown>[];
  readonly [eventType]?: never;
}

/** Ties a source of events, from the cluster or from outside, to a handler. All predicates must let an event through. */
export function watch<T>(
  source: Source<T>,
  handler: EventHandler<NoInfer<T>>,
  ...predicates: readonly Predicate<NoInfer<T>>[]
): Watch {
  // The one place where the event type is forgotten: the three parts agree on it here, and nobody can take them apart.
  return { source, handler, predicates } as unknown as Watch;
}
