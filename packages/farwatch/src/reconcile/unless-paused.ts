import type { AnyResource } from "../resource/resource.ts";
import { formatKey, type KubeObject } from "../wire/object.ts";
import { pausedAnnotation } from "../wire/runtime-annotation.ts";
import type { Reconciler } from "./reconciler.ts";

export function isPaused({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return metadata.annotations?.[pausedAnnotation] === "true";
}

/**
 * Leaves an object alone while its annotation `farwatch.dev/paused` is `"true"`, its deletion included, as Cluster API
 * and Crossplane do. What asked for the run counts as handled: taking the annotation away asks for one that looks anew.
 * Taken away while nobody leads, it leaves no trace that a next leader could see: a controller whose predicates drop
 * creates looks at the next event.
 *
 * Says once of an object that it is left alone, and once that it is not any more; `onCount` is told how many are.
 */
export function unlessPaused(
  resource: AnyResource,
  reconcile: Reconciler,
  onCount: (paused: number) => void,
): Reconciler {
  const left = new Set<string>();
  return async (request, ctx) => {
    const object = await ctx.client.find(resource, request, { signal: ctx.signal });
    const isLeft = object !== undefined && isPaused(object);
    const key = isLeft || left.size > 0 ? formatKey(request) : "";
    if (isLeft !== left.has(key)) {
      if (isLeft) left.add(key);
      else left.delete(key);
      onCount(left.size);
      if (isLeft)
        ctx.log.info("Paused: the object is left alone until its annotation farwatch.dev/paused is taken away");
      else if (object !== undefined) ctx.log.info("Resumed: the object is reconciled again");
    }
    return isLeft ? undefined : reconcile(request, ctx);
  };
}
