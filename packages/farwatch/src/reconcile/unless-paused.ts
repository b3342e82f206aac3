import type { AnyResource } from "../resource/resource.ts";
import { pausedAnnotation } from "../wire/runtime-annotation.ts";
import type { Reconciler } from "./reconciler.ts";

/**
 * Leaves an object alone while its annotation `farwatch.dev/paused` is `"true"`, its deletion included, as Cluster API and Crossplane
 * do. What asked for the run counts as handled: taking the annotation away asks for one that looks anew. Taken away while nobody
 * leads, it leaves no trace that a next leader could see: a controller whose predicates drop creates looks at the next event.
 */
export function unlessPaused(resource: AnyResource, reconcile: Reconciler): Reconciler {
  return async (request, ctx) => {
    const object = await ctx.client.find(resource, request, { signal: ctx.signal });
    if (object?.metadata.annotations?.[pausedAnnotation] !== "true") return reconcile(request, ctx);
    ctx.log.debug("Left alone: the object is paused");
    return undefined;
  };
}
