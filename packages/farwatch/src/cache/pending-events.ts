import { isDeepStrictEqual } from "node:util";
import { mergeEvents } from "../event/merge-events.ts";
import type { ObjectEvent } from "../event/source-event.ts";
import { formatKey, type KubeObject } from "../wire/object.ts";
import { frozen } from "./frozen.ts";

/**
 * The events that one reader has not taken yet, merged per uid, so that a slow reader costs one entry an object and
 * holds nobody up. Another uid never merges; events of one object, and of one name, keep their order. Updates that lead
 * back to where they began are none.
 */
export interface PendingEvents<O extends KubeObject> extends AsyncIterable<ObjectEvent<O>> {
  readonly size: number;
  add(event: ObjectEvent<O>): void;
  /** The iteration ends at once, whatever is pending. Twice does no harm. */
  close(): void;
}

/** Versions come first: they tell all states apart but those of two epochs. */
function leadsNowhere(event: ObjectEvent<KubeObject>): boolean {
  if (event.type !== "update") return false;
  const { oldObject, object } = event;
  return oldObject.metadata.resourceVersion === object.metadata.resourceVersion && isDeepStrictEqual(oldObject, object);
}

/** `onClose` is called once, when the reader leaves or the events are closed. */
export function createPendingEvents<O extends KubeObject>(onClose: () => void): PendingEvents<O> {
  const pending = new Map<string, ObjectEvent<O>>();
  /**
   * One iterator for as long as it has entries: a new one for each event would walk over all that were taken before.
   */
  let cursor = pending.entries();
  const waiting: ((result: IteratorResult<ObjectEvent<O>, undefined>) => void)[] = [];
  let closed = false;

  const take = (): ObjectEvent<O> | undefined => {
    if (pending.size === 0) return undefined;
    let next = cursor.next();
    if (next.done) {
      cursor = pending.entries();
      next = cursor.next();
    }
    if (next.done) return undefined;
    const [uid, event] = next.value;
    pending.delete(uid);
    frozen(event.object);
    if (event.type === "update") frozen(event.oldObject);
    return event;
  };

  const close = (): void => {
    if (closed) return;
    closed = true;
    pending.clear();
    for (const resolve of waiting.splice(0)) resolve({ done: true, value: undefined });
    onClose();
  };

  const iterator: AsyncIterator<ObjectEvent<O>, undefined> = {
    next() {
      if (closed) return Promise.resolve({ done: true, value: undefined });
      const event = take();
      if (event !== undefined) return Promise.resolve({ done: false, value: event });
      return new Promise((resolve) => waiting.push(resolve));
    },
    return() {
      close();
      return Promise.resolve({ done: true, value: undefined });
    },
  };

  return {
    get size() {
      return pending.size;
    },
    add(event): void {
      if (closed) return;
      // An aggregated API may give its objects no uid; their name stands in for it.
      const uid = event.object.metadata.uid ?? formatKey(event.object.metadata);
      const before = pending.get(uid);
      // An object that came back goes to the end: in between, another may have had its name.
      if (before?.type === "delete") pending.delete(uid);
      const merged = before === undefined ? event : mergeEvents(before, event);
      // A server that was restored can lead back to what the reader has: then there is nothing to tell.
      if (before !== undefined && leadsNowhere(merged)) pending.delete(uid);
      else pending.set(uid, merged);
      const resolve = waiting.shift();
      if (resolve === undefined) return;
      const taken = take();
      if (taken !== undefined) resolve({ done: false, value: taken });
    },
    close,
    [Symbol.asyncIterator]: () => iterator,
  };
}
