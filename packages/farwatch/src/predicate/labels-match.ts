import type { LabelSelector } from "../client/client.ts";
import { labelMatcher } from "../wire/label-selector.ts";
import type { KubeObject } from "../wire/object.ts";
import type { Predicate } from "./predicate.ts";

/**
 * Passes an event whose object, in its newest state, is selected: by a map of labels that it has, or by a selector
 * text. Beware: an object that loses them is dropped with the very update in which it does; let that through with
 * `anyOf(labelsMatch(…), labelsChanged)` where it matters. To not even fetch other objects give the kind's informer
 * `labels` instead.
 *
 * @throws CodedError `InvalidSelector` naming the part that cannot be read.
 */
export function labelsMatch(selector: LabelSelector): Predicate<KubeObject> {
  const matches = labelMatcher(selector);
  return ({ object }) => matches(object.metadata.labels);
}
