import { toMs } from "../clock/duration.ts";
import type { Enqueued } from "../event/request.ts";
import { formatKey } from "../wire/object.ts";

/** Each request once, in order of first appearance; among several for one object the earlier time wins, and the higher lane. */
export function mergeRequests(...lists: readonly Iterable<Enqueued>[]): readonly Enqueued[] {
  const merged = new Map<string, Enqueued>();
  for (const list of lists) {
    for (const request of list) {
      const key = formatKey(request);
      const there = merged.get(key);
      merged.set(key, there === undefined ? request : mergeTwo(there, request));
    }
  }
  return [...merged.values()];
}

function mergeTwo(a: Enqueued, b: Enqueued): Enqueued {
  const after =
    a.after === undefined || b.after === undefined ? undefined : toMs(a.after) <= toMs(b.after) ? a.after : b.after;
  const priority = a.priority === undefined ? b.priority : Math.max(a.priority, b.priority ?? a.priority);
  const { name, namespace } = a;
  return { ...(namespace === undefined ? {} : { namespace }), name, after, priority };
}
