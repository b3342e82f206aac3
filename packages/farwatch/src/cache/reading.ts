import { CodedError } from "../error/coded-error.ts";
import { type AnyResource, groupResource } from "../resource/resource.ts";
import { matchesFields, parseFieldSelector } from "../wire/field-selector.ts";
import type { KubeObject } from "../wire/object.ts";
import type { SharedInformer } from "./informer.ts";

/** Two tokens of one kind and version. */
export function isResource(a: AnyResource, b: AnyResource): boolean {
  return a === b || (a.apiVersion === b.apiVersion && a.plural === b.plural);
}

/** True when the informer holds every object of the kind, with everything in it. */
function isWhole({ selection }: SharedInformer): boolean {
  return selection.text === "";
}

/** What chooses the informer that answers a read. */
interface Candidate {
  readonly informer: SharedInformer;
  readonly isOwn: boolean;
}

/**
 * The informer for a read of one namespace, or of all: the kind's own, else one that leaves nothing out of what is
 * asked for. An informer with selectors that somebody has for himself answers no reads, since what it lacks may exist.
 */
export function ownOrCovering(
  candidates: Iterable<Candidate>,
  resource: AnyResource,
  namespace: string | undefined,
): SharedInformer | undefined {
  let covering: SharedInformer | undefined;
  for (const { informer, isOwn } of candidates) {
    const { labels, fields, metadataOnly } = informer.selection;
    if (metadataOnly || !isResource(informer.resource, resource)) continue;
    if (isOwn && holds(informer, namespace, true)) return informer;
    if (labels === undefined && fields === undefined && holds(informer, namespace, false)) covering ??= informer;
  }
  return covering;
}

/** A list of all namespaces, of a kind that is cached for one, is a list of that one: so it was declared. */
function holds({ selection }: SharedInformer, namespace: string | undefined, isOwn: boolean): boolean {
  if (selection.namespace === undefined || selection.namespace === namespace) return true;
  return isOwn && namespace === undefined;
}

/**
 * What a field selector means for objects at hand. @throws CodedError `InvalidSelector` for any other field than name
 * and namespace.
 */
export function fieldMatcher(fields: string, resource: AnyResource): (object: KubeObject) => boolean {
  const requirements = parseFieldSelector(fields);
  for (const { field } of requirements) {
    if (field === "metadata.name" || field === "metadata.namespace") continue;
    throw new CodedError(
      "InvalidSelector",
      `Cannot list ${groupResource(resource)} from the cache by field ${field}: it knows metadata.name and metadata.namespace alone, use an index or { live: true }`,
    );
  }
  return (object) => matchesFields(requirements, object);
}

/** The error of a read that nobody can answer. */
export function notCached(
  resource: AnyResource,
  namespace: string | undefined,
  candidates: readonly Candidate[],
): CodedError {
  const name = groupResource(resource);
  const asked = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
  const selections = candidates
    .filter(({ informer }) => isResource(informer.resource, resource))
    .map(({ informer }) => (isWhole(informer) ? "all" : informer.selection.text));
  const state =
    selections.length === 0
      ? "the kind is not declared"
      : `of it only ${selections.join(" and ")} is cached, and ${asked} was asked for`;
  return new CodedError(
    "NotCached",
    `Cannot read ${name} from the cache: ${state}; declare it with the controller's \`caches: [${resource.kind}]\`, or read it from the server with \`{ live: true }\``,
  );
}
