import { CodedError } from "../error/coded-error.ts";
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

/**
 * Ties a source of events, from the cluster or from outside, to a handler. All predicates must let an event through.
 *
 * @throws CodedError `InvalidOption` for what is no source, handler or predicate.
 */
export function watch<T>(
  source: Source<T>,
  handler: EventHandler<NoInfer<T>>,
  ...predicates: readonly Predicate<NoInfer<T>>[]
): Watch {
  const { name, events } = (source ?? {}) as Partial<Source<T>>;
  const refuse = (what: string): never => {
    throw new CodedError(
      "InvalidOption",
      `Cannot watch ${name === undefined ? "what is given" : `source ${name}`}: ${what}`,
    );
  };
  if (typeof events !== "function")
    refuse("it is no source, give what webhookSource, channelSource or another xSource gives");
  if (typeof handler !== "function") refuse("it has no handler, give one such as enqueueRequestsFromMapFunc");
  if (!predicates.every((predicate) => typeof predicate === "function"))
    refuse("a predicate is none, give functions of an event");
  // The one place where the event type is forgotten: the three parts agree on it here, and nobody can take them apart.
  return { source, handler, predicates } as unknown as Watch;
}
