import type { AnyResource } from "../resource/resource.ts";
import type { SharedInformer } from "./informer.ts";

/** Two tokens of one kind and version. */
export function isResource(a: AnyResource, b: AnyResource): boolean {
  return a === b || (a.apiVersion === b.apiVersion && a.plural === b.plural);
}

/** True when the informer holds every object of the kind, with everything in it. */
export function isWhole({ selection }: SharedInformer): boolean {
  return selection.text === "";
}

/** What chooses the informer that answers a read. */
interface Candidate {
  readonly informer: SharedInformer;
  readonly isOwn: boolean;
}

/**
 * The informer for a read of one namespace, or of all: the kind's own, else one that leaves nothing out of what is asked for.
 * An informer with selectors that somebody has for himself answers no reads, since what it lacks may exist.
 */
export function ownOrCovering(
  candidates: readonly Candidate[],
  resource: AnyResource,
  namespace: string | undefined,
): SharedInformer | undefined {
  const ofKind = candidates.filter(
    ({ informer }) => isResource(informer.resource, resource) && !informer.selection.metadataOnly,
  );
  const own = ofKind.find(({ isOwn, informer }) => isOwn && holds(informer, namespace, true));
  const covering = ofKind.find(
    ({ informer }) =>
      informer.selection.labels === undefined &&
      informer.selection.fields === undefined &&
      holds(informer, namespace, false),
  );
  return (own ?? covering)?.informer;
}

/** A list of all namespaces, of a kind that is cached for one, is a list of that one: so it was declared. */
function holds({ selection }: SharedInformer, namespace: string | undefined, isOwn: boolean): boolean {
  if (selection.namespace === undefined || selection.namespace === namespace) return true;
  return isOwn && namespace === undefined;
}
