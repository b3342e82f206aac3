import type { Reader, ReadOptions } from "../client/client.ts";
import type { RestClient } from "../client/rest-client.ts";
import { statusError } from "../client/status-error.ts";
import type { Clock } from "../clock/clock.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import { CodedError } from "../error/coded-error.ts";
import { joinSignals } from "../flow/join-signals.ts";
import { createTaskScope, type TaskScope } from "../flow/task-scope.ts";
import { untilAborted } from "../flow/until-aborted.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { type AnyResource, groupResource, type Resource } from "../resource/resource.ts";
import { formatKey, type KubeObject, type ObjectKey } from "../wire/object.ts";
import type { Cache, Informer, InformerOptions } from "./cache.ts";
import { createSharedInformer, type SharedInformer } from "./informer.ts";
import { informerMetrics } from "./informer-metrics.ts";
import { fieldMatcher, isResource, notCached, ownOrCovering } from "./reading.ts";
import { type Selection, selectionOf } from "./selection.ts";
import { isInStep } from "./sync-problem.ts";

export interface CacheOptions {
  /** Where lists and watches go, and reads with `live`. */
  readonly client: Reader & { readonly rest: RestClient };
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /**
   * How kinds are cached when nothing else is asked for: what `informer(resource)` means for them. Declares them. One
   * entry a kind.
   */
  readonly kinds?: readonly { readonly resource: AnyResource; readonly options: InformerOptions }[] | undefined;
  /**
   * A watch that says nothing for so long is taken for dead and opened again; default 75 s, since bookmarks come every
   * minute.
   */
  readonly silence?: Duration | undefined;
}

/** The cache with the side that read-your-writes needs. */
export interface InformerCache extends Cache {
  /**
   * The informer that answers reads of a kind, of one namespace or of all.
   *
   * @throws CodedError `NotCached` when there is none.
   */
  reading<O extends KubeObject>(resource: Resource<O>, namespace: string | undefined): SharedInformer<O>;
  /** The informers of a kind, whatever they select. */
  informersOf(kind: { readonly apiVersion: string; readonly kind: string }): readonly SharedInformer[];
}

/**
 * One informer a resource and selector, however many ask for it; it lists and watches while the cache runs and somebody
 * holds it. Kinds declared before `start` begin with it, later ones at once. Reads are answered from the kind's own
 * informer (`informer(resource)`, `kinds`), else from one that is restricted to nothing but the namespace that is asked
 * for.
 *
 * @throws CodedError `DuplicateName` for a kind given twice, `InvalidOption` for a namespace that cannot be one.
 */
export function createCache(options: CacheOptions): InformerCache {
  const { client, clock, log, metrics } = options;
  const silenceMs = toMs(options.silence ?? "75s");
  const entries = new Set<Entry>();
  const pagesOnly = new Set<string>();
  let running: { readonly scope: TaskScope; readonly ended: Promise<void> } | undefined;
  let stopped = false;

  const ownOptions = (resource: AnyResource): InformerOptions | undefined =>
    options.kinds?.find((kind) => isResource(kind.resource, resource))?.options;

  const open = (entry: Entry): void => {
    running?.scope.run(`informer ${entry.informer.selection.name}`, async (signal) => {
      using ends = joinSignals(signal, entry.released.signal);
      await entry.informer.run(ends);
    });
  };

  const release = (entry: Entry): void => {
    entry.holders -= 1;
    if (entry.holders > 0) return;
    entries.delete(entry);
    entry.released.abort();
    // One that runs stops when its last request has ended; one that never ran stops here.
    if (running === undefined) entry.informer.stop();
  };

  const entryOf = <O extends KubeObject>(resource: Resource<O>, asked: InformerOptions<O>, isOwn: boolean): Entry => {
    const selection = selectionOf(resource, asked);
    // A transform is the user's own function: whoever gives another one gets objects of another form.
    const known = [...entries].find(({ informer }) => sameInformer(informer, selection, asked.transform as unknown));
    if (known !== undefined) {
      known.isOwn ||= isOwn;
      return known;
    }
    const informer = createSharedInformer<O>({
      resource,
      selection,
      transform: asked.transform,
      rest: client.rest,
      clock,
      log,
      metrics: informerMetrics(metrics, selection),
      silenceMs,
      pagesOnly,
    });
    if (stopped) informer.stop();
    // The set holds informers of many kinds; whoever takes one out has checked that it is of the resource asked for.
    const entry: Entry = {
      informer: informer as unknown as SharedInformer,
      holders: 0,
      isOwn,
      released: new AbortController(),
    };
    entries.add(entry);
    open(entry);
    return entry;
  };

  const informer = <O extends KubeObject>(
    resource: Resource<O>,
    asked?: InformerOptions<O>,
  ): Informer<O> & Disposable => {
    const own = asked === undefined ? ((ownOptions(resource) ?? {}) as InformerOptions<O>) : asked;
    const entry = entryOf(resource, own, asked === undefined);
    const shared = entry.informer as unknown as SharedInformer<O>;
    if (own.indexes !== undefined) shared.addIndexes(own.indexes);
    entry.holders += 1;
    let held = true;
    return {
      resource,
      get state() {
        return shared.state;
      },
      get size() {
        return shared.size;
      },
      synced: shared.synced,
      get: shared.get,
      list: shared.list,
      events: shared.events,
      [Symbol.dispose](): void {
        if (!held) return;
        held = false;
        release(entry);
      },
    };
  };

  const reading = <O extends KubeObject>(resource: Resource<O>, namespace: string | undefined): SharedInformer<O> => {
    const found = ownOrCovering(entries, resource, namespace);
    if (found !== undefined) return found as unknown as SharedInformer<O>;
    throw notCached(resource, namespace, [...entries]);
  };

  /** Waits only where it must: an `await` of what is there costs as much as the read. */
  const whole = (found: Pick<SharedInformer, "state" | "synced">, signal: AbortSignal | undefined) =>
    found.state.synced ? undefined : found.synced(signal ?? never);

  const find = async <O extends KubeObject>(
    resource: Resource<O>,
    key: ObjectKey,
    asked: ReadOptions = {},
  ): Promise<O | undefined> => {
    if (asked.live) return client.find(resource, key, asked);
    const { name, namespace } = key;
    asked.signal?.throwIfAborted();
    const found = reading(resource, namespace);
    const waiting = whole(found, asked.signal);
    if (waiting !== undefined) await waiting;
    return found.get(resource.scope === "Cluster" ? { name } : key);
  };

  const cache: InformerCache = {
    informer,
    reading,
    informersOf: (kind) =>
      [...entries]
        .map((entry) => entry.informer)
        .filter(({ resource }) => resource.apiVersion === kind.apiVersion && resource.kind === kind.kind),
    get informers() {
      return [...entries].map((entry) => entry.informer);
    },
    get problems() {
      return [...entries]
        .map(({ informer: { resource, state } }) => ({ resource, state }))
        .filter(({ state }) => !isInStep(state));
    },
    async synced(signal): Promise<void> {
      await Promise.all([...entries].map((entry) => entry.informer.synced(signal)));
    },
    start(signal): Promise<void> {
      if (running !== undefined) return running.ended;
      const scope = createTaskScope(signal);
      const ended = untilAborted(scope.signal)
        .then(() => scope.join())
        .finally(() => {
          stopped = true;
          for (const entry of entries) entry.informer.stop();
        });
      running = { scope, ended };
      for (const entry of entries) open(entry);
      return ended;
    },
    find,
    async get(resource, key, asked = {}) {
      if (asked.live) return client.get(resource, key, asked);
      const object = await find(resource, key, asked);
      if (object !== undefined) return object;
      const name = groupResource(resource);
      const message = `${name} ${JSON.stringify(key.name)} not found`;
      throw statusError({
        doing: `get ${name} ${formatKey(key)}`,
        status: { kind: "Status", reason: "NotFound", code: 404, message },
      });
    },
    async list(resource, asked = {}) {
      if (asked.live) return client.list(resource, asked);
      const { namespace, labels, fields, index } = asked;
      const selects = fields === undefined ? undefined : fieldMatcher(fields, resource);
      asked.signal?.throwIfAborted();
      const found = reading(resource, namespace);
      await whole(found, asked.signal);
      const objects = found.list({
        ...(namespace !== undefined && { namespace }),
        ...(labels !== undefined && { labels }),
        ...(index !== undefined && { index }),
      });
      return selects === undefined ? objects : objects.filter(selects);
    },
  };
  for (const kind of options.kinds ?? []) {
    if (options.kinds?.some((other) => other !== kind && isResource(other.resource, kind.resource))) {
      throw new CodedError(
        "DuplicateName",
        `Cannot create a cache: kinds names ${groupResource(kind.resource)} twice, give each kind once`,
      );
    }
    informer(kind.resource);
  }
  return cache;
}

/** An informer and who holds it. */
interface Entry {
  readonly informer: SharedInformer;
  holders: number;
  /** Answers reads of the kind, whatever it selects: that is how the kind is cached. */
  isOwn: boolean;
  readonly released: AbortController;
}

const never = new AbortController().signal;

function sameInformer(informer: SharedInformer, selection: Selection, transform: unknown): boolean {
  return (
    isResource(informer.resource, selection.resource) &&
    informer.selection.text === selection.text &&
    (informer.transform as unknown) === transform
  );
}
