import type { InformerOptions } from "../cache/cache.ts";
import type { ObjectEvent } from "../event/source-event.ts";
import { groupResource, type Resource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import type { Context, Source } from "./source.ts";
import { checkResource } from "./source-options.ts";

/**
 * The objects of a kind: a create for each that is there (`inInitialList`), then what happens to them.
 *
 * Events of one object come in order; while a watch is slow they merge, so that it sees each object at most once, and
 * other readers of the kind never notice. Every opening begins with all objects again: what a closing dropped is told
 * anew, except that a delete which happened in between is not. With options the objects come from an informer of their
 * own, otherwise from the one that the cache has for the kind. A watch that joins an open kindSource sees what happens
 * from then on; make it a kindSource of its own to have it begin with all objects.
 *
 * @throws CodedError `InvalidOption` for what is no kind.
 * @example
 * watch(
 *   kindSource(Secret, { labels: { "farwatch.dev/credentials": "true" } }),
 *   enqueueRequestsFromMapFunc(bucketsThatUse),
 * )
 */
export function kindSource<O extends KubeObject>(
  resource: Resource<O>,
  options?: InformerOptions<NoInfer<O>>,
): Source<O> {
  checkResource("kind", resource);
  return {
    name: `kind-${groupResource(resource)}`,
    numbered: true,
    delivery: "atLeastOnce",
    durability: "process",
    overflow: "wait",
    needLeaderElection: true,
    restates: true,
    ...(options === undefined ? { caches: [resource] } : {}),
    declare: ({ cache }) => cache.informer(resource, options),
    async *events({ cache, signal }: Context): AsyncGenerator<ObjectEvent<O>, void, undefined> {
      using informer = cache.informer(resource, options);
      yield* informer.events(signal);
    },
  };
}
