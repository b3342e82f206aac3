import { isDeepStrictEqual } from "node:util";
import type { LabelSelector } from "../client/client.ts";
import type { RestClient } from "../client/rest-client.ts";
import type { Clock } from "../clock/clock.ts";
import { CodedError } from "../error/coded-error.ts";
import type { ObjectEvent } from "../event/source-event.ts";
import { abortable } from "../flow/abortable.ts";
import type { Logger } from "../observe/logger.ts";
import type { Resource } from "../resource/resource.ts";
import { labelMatcher } from "../wire/label-selector.ts";
import { formatKey, type KubeObject, type ObjectKey } from "../wire/object.ts";
import { admission } from "./admission.ts";
import type { IndexFunctions, Informer, InformerOptions, SyncState } from "./cache.ts";
import { frozen } from "./frozen.ts";
import type { InformerMetrics } from "./informer-metrics.ts";
import { createPendingEvents, type PendingEvents } from "./pending-events.ts";
import { reflect } from "./reflector.ts";
import type { Selection } from "./selection.ts";
import { createStore } from "./store.ts";
import { syncProblem } from "./sync-problem.ts";
import { createWriteWatermark, type WriteWatermark } from "./write-watermark.ts";

/** An informer with the sides that only its cache sees. */
export interface SharedInformer<O extends KubeObject = KubeObject> extends Informer<O> {
  readonly selection: Selection;
  readonly transform: InformerOptions<O>["transform"];
  readonly watermark: WriteWatermark;
  /** @throws CodedError `DuplicateName` when another function has one of the names. */
  addIndexes(indexes: IndexFunctions<O>): void;
  /**
   * What an object that was read from the server would look like, had it been read from here: transformed and frozen.
   */
  readonly likeStored: (object: O) => O;
  /**
   * The values under which an index files an object. @throws CodedError `InvalidOption` when there is no such index.
   */
  indexedUnder(name: string, object: O): readonly string[];
  /** Lists and watches until the signal aborts; then every reader ends. To be called once. */
  run(signal: AbortSignal): Promise<void>;
  /** Ends the informer, whether it ran or not. Twice does no harm. */
  stop(): void;
}

export interface SharedInformerOptions<O extends KubeObject> {
  readonly resource: Resource<O>;
  readonly selection: Selection;
  readonly transform: InformerOptions<O>["transform"];
  readonly rest: RestClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: InformerMetrics;
  readonly silenceMs: number;
  readonly pagesOnly: Set<string>;
}

/** While an informer fails it says so this often. */
const logEveryMs = 30_000;

export function createSharedInformer<O extends KubeObject>(options: SharedInformerOptions<O>): SharedInformer<O> {
  const { resource, selection, transform, clock, metrics } = options;
  const log = options.log.child({
    resource: selection.name,
    ...(selection.text === "" ? {} : { selector: selection.text }),
  });
  const readers = new Set<PendingEvents<O>>();
  const store = createStore<O>({
    isEqual: isDeepStrictEqual,
    publish(event): void {
      for (const reader of readers) reader.add(event);
    },
  });
  const admit = admission({ resource, selection, transform });
  const watermark = createWriteWatermark({ selection, find: store.peek });
  const whole = Promise.withResolvers<void>();
  // Whoever waits has a handler of their own; nobody may be waiting when the informer stops.
  whole.promise.catch(() => {});
  let state: SyncState = { synced: false, phase: "syncing" };
  let loggedMs: number | undefined;

  const enter = (phase: SyncState["phase"], problem?: SyncState["problem"]): void => {
    state = { synced: state.synced, phase, ...(problem !== undefined && { problem }) };
  };

  const stop = (): void => {
    if (state.phase === "stopped") return;
    enter("stopped");
    whole.reject(stopped(selection));
    for (const reader of [...readers]) reader.close();
    metrics.stopped();
  };

  const run = (signal: AbortSignal): Promise<void> =>
    reflect<O>(
      {
        ...options,
        sink: {
          admit,
          listBegins(): void {
            watermark.listBegins();
            metrics.listed();
          },
          replace(objects, { version, newEpoch }): void {
            store.replace(objects, { newEpoch, initial: !state.synced });
            watermark.listEnds(version);
            state = { ...state, synced: true };
            whole.resolve();
          },
          change(type, object): void {
            if (type === "DELETED") store.remove(object);
            else store.put(object);
            metrics.changed(type);
          },
          reached(version): void {
            watermark.reach(version);
            metrics.reached({ objects: store.size, synced: state.synced });
          },
          syncing: () => enter("syncing"),
          silent(): void {
            enter("stale");
            log.debug("Watch is silent, opening it again");
          },
          watching(): void {
            enter("watching");
            metrics.watched();
            if (loggedMs !== undefined) log.info("Cache is in step with the server again");
            loggedMs = undefined;
          },
          failing(error, attempts): void {
            const problem = syncProblem(error, selection, attempts);
            enter("failing", problem);
            metrics.failing(attempts);
            if (loggedMs !== undefined && clock.elapsed() - loggedMs < logEveryMs) return;
            loggedMs = clock.elapsed();
            log.warn("Cache is not in step with the server", {
              reason: problem.reason,
              problem: problem.message,
              attempts,
            });
          },
        },
      },
      signal,
    ).finally(stop);

  const list = (
    asked: {
      readonly namespace?: string;
      readonly labels?: LabelSelector;
      readonly index?: readonly [string, string];
    } = {},
  ): readonly O[] => {
    const { namespace, labels, index } = asked;
    let filed = index;
    if (filed === undefined && namespace !== undefined && selection.namespace === undefined) {
      store.addIndex(byNamespace, namespaceOf);
      filed = [byNamespace, namespace];
    }
    const objects = store.list(filed);
    if (objects === undefined) throw noIndex(selection, index?.[0]);
    const selects = labels === undefined ? undefined : labelMatcher(labels);
    if (selects === undefined && (namespace === undefined || index === undefined)) {
      return namespace === undefined || selection.namespace === undefined || selection.namespace === namespace
        ? objects
        : [];
    }
    return objects.filter(
      ({ metadata }) =>
        (namespace === undefined || metadata.namespace === namespace) &&
        (selects === undefined || selects(metadata.labels)),
    );
  };

  return {
    resource,
    selection,
    transform,
    watermark,
    get state() {
      return state;
    },
    get size() {
      return store.size;
    },
    get: (key: ObjectKey) => store.get(formatKey(key)),
    list,
    synced(signal): Promise<void> {
      if (state.synced) return Promise.resolve();
      return abortable(whole.promise, signal);
    },
    events(signal): AsyncIterable<ObjectEvent<O>> {
      const onAbort = (): void => reader.close();
      const reader = createPendingEvents<O>(() => {
        readers.delete(reader);
        signal.removeEventListener("abort", onAbort);
      });
      if (signal.aborted || state.phase === "stopped") {
        reader.close();
        return reader;
      }
      signal.addEventListener("abort", onAbort, { once: true });
      for (const object of store.values()) reader.add({ type: "create", object, inInitialList: true });
      readers.add(reader);
      return reader;
    },
    addIndexes(indexes): void {
      for (const [name, valuesOf] of Object.entries(indexes)) {
        if (store.addIndex(name, valuesOf)) continue;
        throw new CodedError(
          "DuplicateName",
          `Cannot add index ${JSON.stringify(name)} to ${selection.name}: another function has that name, choose one of its own`,
        );
      }
    },
    likeStored: (object) => frozen(admit(object)),
    indexedUnder(name, object): readonly string[] {
      const values = store.indexedUnder(name, object);
      if (values === undefined) throw noIndex(selection, name);
      return values;
    },
    run,
    stop,
  };
}

/** Made when the first list asks for a namespace; no user's index can have this name by accident. */
const byNamespace = "\0namespace";

function namespaceOf({ metadata }: KubeObject): readonly string[] {
  return [metadata.namespace ?? ""];
}

function noIndex(selection: Selection, name: string | undefined): CodedError {
  return new CodedError(
    "InvalidOption",
    `Cannot list ${selection.name} by index ${JSON.stringify(name)}: there is none, declare it with \`indexes\``,
  );
}

function stopped(selection: Selection): CodedError {
  return new CodedError(
    "CacheNotSynced",
    `Cannot wait for ${selection.name}: its cache was stopped before it had seen a whole list`,
  );
}
