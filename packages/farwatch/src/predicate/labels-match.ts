import type { KubeObject } from "../wire/object.ts";
import type { Predicate } from "./predicate.ts";

/**
 * Passes an event whose object, in its newest state, has all of these labels. Beware: an object that loses them is dropped with
 * the very update in which it does; let that through with `anyOf(labelsMatch(…), labelsChanged)` where it matters. To not even
 * fetch other objects give the kind's informer `labels` instead.
 */
export function labelsMatch(labels: Readonly<Record<string, string>>): Predicate<KubeObject> {
  const wanted = Object.entries(labels);
  return ({ object }) => wanted.every(([name, value]) => object.metadata.labels?.[name] === value);
}
