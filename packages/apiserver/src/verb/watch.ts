import { type ApiError, expired } from "../failure/api-error.ts";
import { asApiError } from "../failure/as-api-error.ts";
import type { StoredObject } from "../registry/api-object.ts";
import type { Change } from "../store/store.ts";
import { resourceId } from "../store/store.ts";
import { type ListOptions, readListOptions, readVersion } from "./list-option.ts";
import type { OpenWatch } from "./open-watch.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { type Selection, selectionOf } from "./selection.ts";
import type { ServerCore } from "./server-core.ts";

/** One event of a watch. */
export type WatchFrame =
  | { readonly type: "ADDED" | "DELETED" | "MODIFIED"; readonly object: StoredObject }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: "ERROR"; readonly error: ApiError };

/** Where the events of a watch go, in order; `end` is the last call. */
export interface WatchSink {
  frame(frame: WatchFrame): void;
  end(): void;
}

const bookmarkEveryMs = 60_000;
const lastBookmarkBeforeEndMs = 2_000;
/** What a watch without timeoutSeconds lives at least; at most twice that. */
const minTimeoutSeconds = 1_800;

/**
 * Opens a watch: events begin within this call and follow in the tick of each change. Refusals that the real server
 * answers before the stream are thrown; an expired version is an ERROR event.
 */
export function openWatch(core: ServerCore, request: ResourceRequest, sink: WatchSink): OpenWatch {
  const { served, query } = request;
  const options = readListOptions(query, true);
  const selection = selectionOf(options.selectors, request);
  const asked = options.resourceVersion;
  const version = asked === undefined || asked === "0" ? undefined : readVersion(asked);
  const oldest = Math.max(core.store.compacted, core.registry.servedSince(served.kind));
  return version !== undefined && version < oldest && options.sendInitialEvents !== true
    ? refuseOld(version, oldest, sink)
    : new Watch(core, request, { options, selection, version, sink });
}

function refuseOld(version: number, compacted: number, sink: WatchSink): OpenWatch {
  sink.frame({ type: "ERROR", error: expired(`too old resource version: ${version} (${compacted})`) });
  sink.end();
  return { end: () => {}, [Symbol.dispose]: () => {} };
}

interface WatchPlan {
  readonly options: ListOptions;
  readonly selection: Selection;
  /** Events after this one; undefined: the state of now first. */
  readonly version: number | undefined;
  readonly sink: WatchSink;
}

class Watch implements OpenWatch {
  readonly #core: ServerCore;
  readonly #request: ResourceRequest;
  readonly #plan: WatchPlan;
  readonly #stack = new DisposableStack();
  /** Set while objects wait for a conversion webhook: later events wait behind. */
  #tail: Promise<void> | undefined;
  #ended = false;
  /** The first bookmark after events of what was there says that these have ended, also where nobody asked for it. */
  #tellsEnd = false;

  constructor(core: ServerCore, request: ResourceRequest, plan: WatchPlan) {
    this.#core = core;
    this.#request = request;
    this.#plan = plan;
    core.watches.add(this);
    this.#stack.defer(() => core.watches.delete(this));
    this.#scheduleEnd();
    this.#begin();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stack.dispose();
    this.#plan.sink.end();
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#stack.dispose();
  }

  #begin(): void {
    const { options, selection, version } = this.#plan;
    const { store } = this.#core;
    const resource = resourceId(this.#request.served.kind);
    const initial = version === undefined ? options.sendInitialEvents !== false : options.sendInitialEvents === true;
    const from = initial || version === undefined ? store.version : version;
    if (initial) {
      for (const object of store.list(resource)) if (selection.matches(object)) this.#send("ADDED", object);
      if (options.sendInitialEvents === true && options.allowBookmarks) this.#bookmark(true);
      else this.#tellsEnd = true;
    }
    this.#stack.use(store.watch(resource, from, (change) => this.#change(change, from)));
  }

  #change(change: Change, from: number): void {
    // A watch may begin at a version that is yet to come.
    if (change.version <= from) return;
    const { selection } = this.#plan;
    const isIn = change.type !== "DELETED" && selection.matches(change.object);
    const wasIn = change.old !== undefined && selection.matches(change.old);
    if (isIn) this.#send(wasIn ? "MODIFIED" : "ADDED", change.object);
    else if (wasIn) this.#send("DELETED", change.type === "DELETED" ? change.object : lastState(change));
  }

  #send(type: "ADDED" | "DELETED" | "MODIFIED", object: StoredObject): void {
    const presented = this.#core.codec.present(this.#request.served, [object]);
    if (presented instanceof Promise || this.#tail !== undefined) {
      this.#after(presented, ([shown = object]) => this.#plan.sink.frame({ type, object: shown }));
    } else {
      for (const shown of presented) this.#plan.sink.frame({ type, object: shown });
    }
  }

  #bookmark(initialEventsEnd: boolean): void {
    if (this.#ended) return;
    const frame = {
      type: "BOOKMARK",
      resourceVersion: String(this.#core.store.version),
      initialEventsEnd: initialEventsEnd || this.#tellsEnd,
    } as const;
    this.#tellsEnd = false;
    if (this.#tail === undefined) this.#plan.sink.frame(frame);
    else this.#after(undefined, () => this.#plan.sink.frame(frame));
  }

  #after<T>(value: Promise<T> | T, then: (value: T) => void): void {
    const before = this.#tail ?? Promise.resolve();
    const tail = before
      .then(() => value)
      .then((ready) => {
        if (!this.#ended) then(ready);
      })
      .catch((error: unknown) => {
        if (this.#ended) return;
        this.#plan.sink.frame({ type: "ERROR", error: asApiError(error) });
        this.end();
      })
      .finally(() => {
        if (this.#tail === tail) this.#tail = undefined;
      });
    this.#tail = tail;
  }

  #scheduleEnd(): void {
    const { timeoutSeconds, allowBookmarks } = this.#plan.options;
    const { clock, random } = this.#core;
    const seconds =
      timeoutSeconds === undefined || timeoutSeconds <= 0 ? minTimeoutSeconds * (1 + random()) : timeoutSeconds;
    const unref = { unref: true };
    this.#stack.use(clock.schedule(seconds * 1000, () => this.end(), unref));
    if (!allowBookmarks) return;
    const lastMs = seconds * 1000 - lastBookmarkBeforeEndMs;
    if (lastMs > 0) this.#stack.use(clock.schedule(lastMs, () => this.#bookmark(false), unref));
    let next: Disposable | undefined;
    const again = (): void => {
      next = clock.schedule(
        bookmarkEveryMs,
        () => {
          this.#bookmark(false);
          again();
        },
        unref,
      );
    };
    again();
    this.#stack.defer(() => next?.[Symbol.dispose]());
  }
}

const lastStates = new WeakMap<Change, StoredObject>();

/** An object that left a selection, as it was, with the version of the change that took it out. */
function lastState(change: Change): StoredObject {
  const known = lastStates.get(change);
  if (known !== undefined) return known;
  const { old, object } = change;
  const before = old ?? object;
  const state = { ...before, metadata: { ...before.metadata, resourceVersion: object.metadata.resourceVersion } };
  lastStates.set(change, state);
  return state;
}
