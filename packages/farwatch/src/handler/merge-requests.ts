import { type Duration, toMs } from "../clock/duration.ts";
import type { Enqueued } from "../event/request.ts";
import { formatKey } from "../wire/object.ts";

/**
 * Each request once, in order of first appearance; among several for one object the earlier time wins, and the higher
 * lane.
 */
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
  const { name, namespace } = a;
  const after = earlier(a.after, b.after);
  const priority = higher(a.priority, b.priority);
  return {
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(after === undefined ? {} : { after }),
    ...(priority === undefined ? {} : { priority }),
  };
}

/** No delay is the earliest. */
function earlier(a: Duration | undefined, b: Duration | undefined): Duration | undefined {
  if (a === undefined || b === undefined) return undefined;
  return toMs(a) <= toMs(b) ? a : b;
}

function higher(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}
