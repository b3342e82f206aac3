import type { Cache, Informer, SyncState } from "../cache/cache.ts";
import type { ListOptions, ReadOptions } from "../client/client.ts";
import { CodedError } from "../error/coded-error.ts";
import { mergeEvents } from "../event/merge-events.ts";
import type { ObjectEvent } from "../event/source-event.ts";
import { abortable } from "../flow/abortable.ts";
import { untilAborted } from "../flow/until-aborted.ts";
import { type AnyResource, groupResource, type Resource } from "../resource/resource.ts";
import { labelMatcher } from "../wire/label-selector.ts";
import { formatKey, type KubeObject, keyOf, type ObjectKey } from "../wire/object.ts";

/**
 * A Cache without a server: it holds what a test puts in, its informers yield what a real one would, and reads wait for
 * the first sync. For tests of handlers and sources. Field selectors and indexes are refused: take the real cache on a
 * scripted transport.
 */
export interface ScriptedCache extends Cache {
  /** Adds the object, or replaces the one of that key; another uid is a delete and a create. Declares the kind. */
  put<O extends KubeObject>(resource: Resource<O>, object: O): void;
  remove(resource: AnyResource, key: ObjectKey): void;
  /**
   * From now on this kind is synced; without it, all that are declared now. Kinds are synced from the start by default.
   */
  sync(resource?: AnyResource): void;
  /** Users of informers that have not been disposed of. */
  readonly held: number;
}

interface Kind {
  readonly resource: AnyResource;
  readonly objects: Map<string, KubeObject>;
  readonly readers: Set<(event: ObjectEvent<KubeObject>) => void>;
  readonly synced: PromiseWithResolvers<void>;
  isSynced: boolean;
}

export function createScriptedCache(options: { readonly synced?: boolean } = {}): ScriptedCache {
  const kinds = new Map<string, Kind>();
  let held = 0;

  const kindOf = (resource: AnyResource): Kind => {
    const name = `${groupResource(resource)} ${resource.version}`;
    let kind = kinds.get(name);
    if (kind === undefined) {
      kind = { resource, objects: new Map(), readers: new Set(), synced: Promise.withResolvers(), isSynced: false };
      kinds.set(name, kind);
      if (options.synced ?? true) settle(kind);
    }
    return kind;
  };

  const settle = (kind: Kind): void => {
    kind.isSynced = true;
    kind.synced.resolve();
  };

  const tell = ({ readers }: Kind, event: ObjectEvent<KubeObject>): void => {
    for (const reader of readers) reader(event);
  };

  const synced = (kind: Kind, signal: AbortSignal | undefined): Promise<void> => abortable(kind.synced.promise, signal);

  const list = (kind: Kind, { namespace, labels = {}, fields, index }: ListOptions = {}): readonly KubeObject[] => {
    if (fields !== undefined || index !== undefined) {
      throw new CodedError("InvalidOption", "Cannot list from a scripted cache: it knows only namespace and labels");
    }
    const selects = labelMatcher(labels);
    return [...kind.objects.values()].filter(
      ({ metadata }) => (namespace === undefined || metadata.namespace === namespace) && selects(metadata.labels),
    );
  };

  const declared = (resource: AnyResource): Kind => {
    const kind = kinds.get(`${groupResource(resource)} ${resource.version}`);
    if (kind !== undefined) return kind;
    throw new CodedError(
      "NotCached",
      `Cannot read ${groupResource(resource)} from the cache: the kind is not declared, name it in \`caches\` or read with \`live\``,
    );
  };

  async function* eventsOf(kind: Kind, signal: AbortSignal): AsyncGenerator<ObjectEvent<KubeObject>, void, undefined> {
    /** What waits, by uid: one event an object. */
    const pending = new Map<string, ObjectEvent<KubeObject>>();
    let wake = (): void => {};
    const reader = (event: ObjectEvent<KubeObject>): void => {
      const { uid } = event.object.metadata;
      const waiting = pending.get(uid);
      pending.set(uid, waiting === undefined ? event : mergeEvents(waiting, event));
      wake();
    };
    try {
      await synced(kind, signal);
    } catch {
      return;
    }
    for (const object of kind.objects.values()) reader({ type: "create", object, inInitialList: true });
    kind.readers.add(reader);
    const onAbort = (): void => wake();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      while (!signal.aborted) {
        const [first] = pending;
        if (first !== undefined) {
          pending.delete(first[0]);
          yield first[1];
          continue;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      kind.readers.delete(reader);
      signal.removeEventListener("abort", onAbort);
    }
  }

  const informerOf = <O extends KubeObject>(kind: Kind): Informer<O> => ({
    // A kind holds the objects of one resource, which `put` checks; its map cannot say so.
    resource: kind.resource as Resource<O>,
    get state(): SyncState {
      return { synced: kind.isSynced, phase: kind.isSynced ? "watching" : "syncing" };
    },
    get size() {
      return kind.objects.size;
    },
    synced: (signal) => synced(kind, signal),
    get: (key) => kind.objects.get(formatKey(key)) as O | undefined,
    list: (asked) => list(kind, asked) as readonly O[],
    events: (signal) => eventsOf(kind, signal) as AsyncIterable<ObjectEvent<O>>,
  });

  const find = async <O extends KubeObject>(
    resource: Resource<O>,
    key: ObjectKey,
    { signal }: ReadOptions = {},
  ): Promise<O | undefined> => {
    const kind = declared(resource);
    await synced(kind, signal);
    return kind.objects.get(formatKey(key)) as O | undefined;
  };

  return {
    get held() {
      return held;
    },
    put<O extends KubeObject>(resource: Resource<O>, object: O): void {
      const kind = kindOf(resource);
      const key = formatKey(keyOf(object));
      const before = kind.objects.get(key);
      kind.objects.set(key, object);
      if (before?.metadata.uid === object.metadata.uid) {
        tell(kind, { type: "update", oldObject: before, object });
        return;
      }
      if (before !== undefined) tell(kind, { type: "delete", object: before, stateUnknown: false });
      tell(kind, { type: "create", object, inInitialList: false });
    },
    remove(resource, key): void {
      const kind = kindOf(resource);
      const object = kind.objects.get(formatKey(key));
      if (object === undefined) return;
      kind.objects.delete(formatKey(key));
      tell(kind, { type: "delete", object, stateUnknown: false });
    },
    sync(resource): void {
      for (const kind of resource === undefined ? kinds.values() : [kindOf(resource)]) settle(kind);
    },
    informer<O extends KubeObject>(resource: Resource<O>): Informer<O> & Disposable {
      const kind = kindOf(resource);
      held += 1;
      let disposed = false;
      return Object.defineProperties(informerOf<O>(kind), {
        [Symbol.dispose]: {
          value(): void {
            if (!disposed) held -= 1;
            disposed = true;
          },
        },
      }) as Informer<O> & Disposable;
    },
    get informers() {
      return [...kinds.values()].map((kind) => informerOf(kind));
    },
    get problems() {
      return [];
    },
    async synced(signal): Promise<void> {
      for (const kind of kinds.values()) await synced(kind, signal);
    },
    start: untilAborted,
    find,
    async get<O extends KubeObject>(resource: Resource<O>, key: ObjectKey, asked?: ReadOptions): Promise<O> {
      const object = await find(resource, key, asked);
      if (object !== undefined) return object;
      throw new CodedError("NotFound", `Cannot get ${groupResource(resource)} ${formatKey(key)}: there is none`);
    },
    async list<O extends KubeObject>(resource: Resource<O>, asked: ListOptions = {}): Promise<readonly O[]> {
      const kind = declared(resource);
      await synced(kind, asked.signal);
      return list(kind, asked) as readonly O[];
    },
  };
}
