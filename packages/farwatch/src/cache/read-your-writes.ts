import type { Reader } from "../client/client.ts";
import type { ClientView } from "../client/connected-client.ts";
import type { Clock } from "../clock/clock.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import type { Metrics } from "../observe/metrics.ts";
import { groupResource, type Resource } from "../resource/resource.ts";
import { formatKey, type KubeObject, type ObjectKey } from "../wire/object.ts";
import type { InformerCache } from "./create-cache.ts";
import type { SharedInformer } from "./informer.ts";
import type { WriteWatermark } from "./write-watermark.ts";

export interface ReadYourWritesOptions {
  readonly clock: Clock;
  /** Asked when the cache has not caught up in time. */
  readonly live: Reader;
  readonly metrics: Metrics;
  /** How long after a write a read waits for the cache; default 5 s. */
  readonly wait?: Duration | undefined;
}

/** To be given to `client.view`. */
export interface ReadYourWrites extends ClientView {
  readonly reads: Reader;
  readonly onWrite: NonNullable<ClientView["onWrite"]>;
  /** What the cache has of an object, when that is whole and shows every write of one's own. */
  readonly known: NonNullable<ClientView["known"]>;
}

type KindName = Pick<KubeObject, "apiVersion" | "kind">;

/** A write that the cache has perhaps not seen. */
interface Write {
  readonly uid: string;
  readonly version: string;
  readonly namespace: string | undefined;
  /** No read waits for it longer than until then. */
  readonly untilMs: number;
  readonly isSeen: (watermark: WriteWatermark) => boolean;
}

/**
 * Reads from the cache that never show less than one's own writes (promise 9): a read of an object, or a list of its
 * kind, waits until the cache has seen the version that was written, the object's deletion, or a list begun later. What
 * the cache has not seen `wait` after the write is read from the server, once a read, counted in
 * `farwatch_cache_live_reads_total`. Writes are forgotten once they were seen: what is kept is bounded by the writes
 * under way.
 */
export function createReadYourWrites(cache: InformerCache, options: ReadYourWritesOptions): ReadYourWrites {
  const { clock, live, metrics } = options;
  const waitMs = toMs(options.wait ?? "5s");
  const liveReads = metrics.counter({
    name: "farwatch_cache_live_reads_total",
    help: "Reads that went to the server because the cache had not seen an own write in time.",
    labelNames: ["resource"],
  });
  /** Unseen writes by apiVersion, kind and key; a later write of an object takes the place of the earlier. */
  const writes = new Map<string, Map<string, Map<string, Write>>>();

  const watermarksOf = (kind: KindName): readonly WriteWatermark[] =>
    cache.informersOf(kind).map(({ watermark }) => watermark);

  const writesOf = ({ apiVersion, kind }: KindName): Map<string, Write> => {
    const ofVersion = entryOf(writes, apiVersion);
    return entryOf(ofVersion, kind);
  };

  /** Resolves true once the informer has seen the writes, false when it has not in time. */
  const caughtUp = (
    watermark: WriteWatermark,
    waitingFor: readonly Write[],
    signal: AbortSignal | undefined,
  ): Promise<boolean> =>
    new Promise((resolve, reject) => {
      let next = 0;
      const check = (): boolean => {
        // Seen stays seen: what was checked off is not looked at again.
        while (next < waitingFor.length && waitingFor[next]?.isSeen(watermark)) next += 1;
        return next === waitingFor.length;
      };
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      if (check()) {
        resolve(true);
        return;
      }
      const untilMs = waitingFor.slice(next).reduce((latest, write) => Math.max(latest, write.untilMs), 0);
      const leftMs = untilMs - clock.elapsed();
      if (leftMs <= 0) {
        resolve(false);
        return;
      }
      const end = (): void => {
        progress[Symbol.dispose]();
        timer[Symbol.dispose]();
        signal?.removeEventListener("abort", onAbort);
      };
      const onAbort = (): void => {
        end();
        reject(signal?.reason);
      };
      const progress = watermark.onProgress(() => {
        if (!check()) return;
        end();
        resolve(true);
      });
      const timer = clock.schedule(leftMs, () => {
        end();
        resolve(check());
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });

  /**
   * The informer to read when it has not seen all writes that concern a read in time; undefined when the cache will do.
   */
  const lagging = async <O extends KubeObject>(
    resource: Resource<O>,
    asked: {
      readonly namespace: string | undefined;
      readonly key?: string | undefined;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<SharedInformer<O> | undefined> => {
    const ofKind = writesOf(resource);
    const informer = cache.reading(resource, asked.namespace);
    const watermarks = watermarksOf(resource);
    const waitingFor: Write[] = [];
    const concerned = asked.key === undefined ? ofKind : ([[asked.key, ofKind.get(asked.key)]] as const);
    for (const [key, write] of concerned) {
      if (write === undefined) continue;
      if (watermarks.every(write.isSeen)) ofKind.delete(key);
      else if (write.isSeen(informer.watermark)) continue;
      else if (asked.namespace === undefined || write.namespace === asked.namespace) waitingFor.push(write);
    }
    if (waitingFor.length === 0 || (await caughtUp(informer.watermark, waitingFor, asked.signal))) return undefined;
    liveReads.add({ resource: groupResource(resource) });
    return informer;
  };

  /** Undefined at once where nothing was written: most reads wait for nothing. */
  const lagsBehind = <O extends KubeObject>(
    resource: Resource<O>,
    { name, namespace }: ObjectKey,
    signal: AbortSignal | undefined,
  ): Promise<SharedInformer<O> | undefined> | undefined => {
    if (writesOf(resource).size === 0) return undefined;
    const key = formatKey(resource.scope === "Cluster" ? { name } : { name, namespace });
    return lagging(resource, { namespace, key, signal });
  };

  const reads: Reader = {
    async get(resource, key, asked = {}) {
      if (asked.live) return live.get(resource, key, asked);
      const informer = await lagsBehind(resource, key, asked.signal);
      if (informer === undefined) return await cache.get(resource, key, asked);
      return informer.likeStored(await live.get(resource, key, { ...asked, live: true }));
    },
    find(resource, key, asked = {}) {
      if (asked.live) return live.find(resource, key, asked);
      const behind = lagsBehind(resource, key, asked.signal);
      if (behind === undefined) return cache.find(resource, key, asked);
      return behind.then(async (informer) => {
        if (informer === undefined) return await cache.find(resource, key, asked);
        const object = await live.find(resource, key, { ...asked, live: true });
        return object === undefined ? undefined : informer.likeStored(object);
      });
    },
    async list(resource, asked = {}) {
      const { namespace, signal } = asked;
      const informer = asked.live ? undefined : await lagging(resource, { namespace, signal });
      if (informer === undefined) return asked.live ? live.list(resource, asked) : cache.list(resource, asked);
      const { index, ...rest } = asked;
      const objects = (await live.list(resource, { ...rest, live: true })).map(informer.likeStored);
      if (index === undefined) return objects;
      const [name, value] = index;
      return objects.filter((object) => informer.indexedUnder(name, object).includes(value));
    },
  };

  return {
    reads,
    known(object) {
      const unseen = writesOf(object).get(formatKey(object.metadata));
      for (const { selection, transform, watermark, get } of cache.informersOf(object)) {
        if (selection.metadataOnly || transform !== undefined) continue;
        const stored = get(object.metadata);
        if (stored !== undefined) return unseen === undefined || unseen.isSeen(watermark) ? stored : undefined;
      }
      return undefined;
    },
    onWrite(object, change): void {
      const watermarks = watermarksOf(object);
      if (watermarks.length === 0) return;
      const ofKind = writesOf(object);
      forgetSeen(ofKind, watermarks);
      const key = formatKey(object.metadata);
      const { uid, namespace } = object.metadata;
      const before = ofKind.get(key);
      // The server may answer a deletion without a version; that of the write before it is then the last one known.
      const version = object.metadata.resourceVersion || (before?.uid === uid ? before.version : "");
      const written = { ...object, metadata: { ...object.metadata, resourceVersion: version } };
      const seen = new Map(watermarks.map((watermark) => [watermark, watermark.after(written, change)]));
      ofKind.delete(key);
      if ([...seen.values()].every((isSeen) => isSeen())) return;
      ofKind.set(key, {
        uid,
        version,
        namespace,
        untilMs: clock.elapsed() + waitMs,
        // An informer that was made after the write lists after it.
        isSeen: (watermark) => seen.get(watermark)?.() ?? true,
      });
    },
  };
}

/** Takes out the oldest writes that every informer has seen: two a write, so that what nobody reads goes away too. */
function forgetSeen(ofKind: Map<string, Write>, watermarks: readonly WriteWatermark[]): void {
  let looked = 0;
  for (const [key, write] of ofKind) {
    if (looked === 2) return;
    looked += 1;
    if (watermarks.every(write.isSeen)) ofKind.delete(key);
  }
}

function entryOf<V>(maps: Map<string, Map<string, V>>, name: string): Map<string, V> {
  let map = maps.get(name);
  if (map === undefined) {
    map = new Map();
    maps.set(name, map);
  }
  return map;
}
