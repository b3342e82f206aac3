import { enqueueRequestForObject } from "../handler/enqueue-request-for-object.ts";
import { enqueueRequestForOwner } from "../handler/enqueue-request-for-owner.ts";
import type { Predicate } from "../predicate/predicate.ts";
import { specChanged } from "../predicate/spec-changed.ts";
import { isPaused } from "../reconcile/unless-paused.ts";
import type { AnyResource } from "../resource/resource.ts";
import { kindSource } from "../source/kind-source.ts";
import { timerSource } from "../source/timer-source.ts";
import type { KubeObject } from "../wire/object.ts";
import type { Controller, ControllerOptions } from "./controller.ts";
import { watchOfOwn } from "./own-annotation.ts";
import { type Watch, watch } from "./watch.ts";

/** The kinds that a controller reads or watches: their informers are declared before the cache starts. */
export function resourcesOf({ options }: Controller): readonly AnyResource[] {
  const watched = (options.watches ?? []).flatMap(({ source }) => source.caches ?? []);
  return [options.for, ...(options.owns ?? []), ...(options.caches ?? []), ...watched];
}

/** All that wakes a controller, the kinds that its options name included. */
export function watchesOf({ options }: Controller): readonly Watch[] {
  const wakeOn =
    options.wakeOn ??
    (options.for.definition === undefined || !options.for.subresources.includes("status") ? "any" : "spec");
  return [
    watch(
      kindSource(options.for),
      enqueueRequestForObject,
      ...(wakeOn === "spec" ? [specChanged] : []),
      ...(options.predicates ?? []).map(orPaused),
    ),
    ...(options.owns ?? []).map((owned) => watch(kindSource(owned), enqueueRequestForOwner(options.for))),
    ...(options.resync === undefined ? [] : [watch(resyncSource(options, options.resync), enqueueRequestForObject)]),
    ...(options.watches ?? []),
    ...(options.watches ?? []).flatMap(({ source: { annotates }, handler }) =>
      annotates === undefined ? [] : [watchOfOwn(annotates, handler)],
    ),
  ];
}

/**
 * A run of a paused object does nothing but count it: with its events dropped nobody would know that it is left alone.
 */
function orPaused(predicate: Predicate<KubeObject>): Predicate<KubeObject> {
  return (event) => isPaused(event.object) || predicate(event);
}

function resyncSource(
  options: ControllerOptions<KubeObject>,
  period: NonNullable<ControllerOptions<KubeObject>["resync"]>,
) {
  return timerSource(options.for, { period: () => period });
}
