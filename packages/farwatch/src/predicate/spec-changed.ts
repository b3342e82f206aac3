import { isDeepStrictEqual } from "node:util";
import type { SourceEvent } from "../event/source-event.ts";
import type { KubeObject } from "../wire/object.ts";

/** Annotations in which controllers note what they have handled. */
const handledPrefix = "farwatch.dev/handled-";

/**
 * What `wakeOn: "spec"` stands for: drops an update in which nothing but status, resourceVersion, managedFields and
 * annotations `farwatch.dev/handled-*` changed, so that a controller's own status write does not wake it (promise 10).
 * Everything else passes: other metadata, the first appearance of deletionTimestamp, a changed
 * `farwatch.dev/requested-at`, and what is no update.
 */
export function specChanged(event: SourceEvent<KubeObject>): boolean {
  if (event.type !== "update") return true;
  const { oldObject, object } = event;
  if (oldObject.metadata.generation !== object.metadata.generation) return true;
  return (
    !isDeepStrictEqual(metadataThatCounts(oldObject), metadataThatCounts(object)) || !sameContent(oldObject, object)
  );
}

function sameContent(before: KubeObject, after: KubeObject): boolean {
  const {
    metadata: _before,
    status: _statusBefore,
    ...contentBefore
  }: KubeObject & { readonly status?: unknown } = before;
  const { metadata: _after, status: _statusAfter, ...contentAfter }: KubeObject & { readonly status?: unknown } = after;
  return isDeepStrictEqual(contentBefore, contentAfter);
}

/** No annotations at all counts as an empty map of them. */
function metadataThatCounts({ metadata }: KubeObject): unknown {
  const { resourceVersion: _version, managedFields: _fields, annotations = {}, ...rest } = metadata;
  const counting = Object.entries(annotations).filter(([name]) => !name.startsWith(handledPrefix));
  return { ...rest, annotations: Object.fromEntries(counting) };
}
