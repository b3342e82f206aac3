import type { ClientView } from "../client/connected-client.ts";
import type { Reader } from "../client/client.ts";
import type { Clock } from "../clock/clock.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import type { Metrics } from "../observe/metrics.ts";
import { type AnyResource, groupResource } from "../resource/resource.ts";
import { formatKey, type KubeObject } from "../wire/object.ts";
import type { InformerCache } from "./create-cache.ts";
import type { SharedInformer } from "./informer.ts";

export interface ReadYourWritesOptions {
  readonly clock: Clock;
  /** Asked when the cache has not caught up in time. */
  readonly live: Reader;
  readonly metrics: Metrics;
  /** How long after a write a read waits for the cache; default 5 s. */
  readonly wait?: Duration | undefined;
}

/** To be given to `client.view`. */
export type ReadYourWrites = Required<Pick<ClientView, "reads" | "onWrite" | "known">>;

/** A write that the cache has perhaps not seen. */
interface Write {
  readonly uid: string;
  readonly version: string;
  readonly namespace: string | undefined;
  /** No read waits for it longer than until then. */
  readonly untilMs: number;
  readonly hasSeen: (informer: SharedInformer) => boolean;
}

/**
 * Reads from the cache that never show less than one's own writes (promise 9): a read of an object, or a list of its kind,
 * waits until the cache has seen the version that was written, the object's deletion, or a list begun later. What the cache has
 * not seen `wait` after the write is read from the server, once a read, counted in `farwatch_cache_live_reads_total`. Writes are
 * forgotten once they were seen: what is kept is bounded by the writes under way.
 */
export function createReadYourWrites(cache: InformerCache, options: ReadYourWritesOptions): ReadYourWrites {
  const { clock, live, metrics } = options;
  const waitMs = toMs(options.wait ?? "5s");
  const liveReads = metrics.counter({
    name: "farwatch_cache_live_reads_total",
    help: "Reads that went to the server because the cache had not seen an own write in time.",
    labelNames: ["resource"],
  });
  /** Unseen writes by kind and key; a later write of an object takes the place of the earlier. */
  const writes = new Map<string, Map<string, Write>>();

  const writesOf = (kind: { readonly apiVersion: string; readonly kind: string }): Map<string, Write> => {
    const name = `${kind.apiVersion}/${kind.kind}`;
    let ofKind = writes.get(name);
    if (ofKind === undefined) {
      ofKind = new Map();
      writes.set(name, ofKind);
    }
    return ofKind;
  };

  /** Resolves true once the informer has seen the writes, false when it has not in time. */
  const caughtUp = (informer: SharedInformer, waitingFor: readonly Write[], signal: AbortSignal | undefined): Promise<boolean> =>
    new Promise((resolve, reject) => {
      let next = 0;
      const check = (): boolean => {
        // Seen stays seen: what was checked off is not looked at again.
        while (next < waitingFor.length && waitingFor[next]?.hasSeen(informer)) next += 1;
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
      const untilMs = Math.max(...waitingFor.slice(next).map((write) => write.untilMs));
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
      const progress = informer.watermark.onProgress(() => {
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

  /** True when a read of the cache would show all writes that concern it. */
  const isCurrent = async (
    resource: AnyResource,
    asked: { readonly namespace: string | undefined; readonly key?: string },
    signal: AbortSignal | undefined,
  ): Promise<boolean> => {
    const ofKind = writesOf(resource);
    if (ofKind.size === 0) return true;
    const informer = cache.reading(resource, asked.namespace) as unknown as SharedInformer;
    const waitingFor: Write[] = [];
    const concerned = asked.key === undefined ? ofKind : ([[asked.key, ofKind.get(asked.key)]] as const);
    for (const [key, write] of concerned) {
      if (write === undefined) continue;
      if (write.hasSeen(informer)) ofKind.delete(key);
      else if (asked.namespace === undefined || write.namespace === asked.namespace) waitingFor.push(write);
    }
    if (waitingFor.length === 0) return true;
    if (await caughtUp(informer, waitingFor, signal)) return true;
    liveReads.add({ resource: groupResource(resource) });
    return false;
  };
  const keyIn = (resource: AnyResource, { name, namespace }: { readonly name: string; readonly namespace?: string | undefined }): string =>
    formatKey(resource.scope === "Cluster" ? { name } : { name, namespace });

  const reads: Reader = {
    async get(resource, key, asked = {}) {
      const isCached = !asked.live && (await isCurrent(resource, { namespace: key.namespace, key: keyIn(resource, key) }, asked.signal));
      return isCached ? cache.get(resource, key, asked) : live.get(resource, key, { ...asked, live: true });
    },
    async find(resource, key, asked = {}) {
      const isCached = !asked.live && (await isCurrent(resource, { namespace: key.namespace, key: keyIn(resource, key) }, asked.signal));
      return isCached ? cache.find(resource, key, asked) : live.find(resource, key, { ...asked, live: true });
    },
    async list(resource, asked = {}) {
      const isCached = !asked.live && (await isCurrent(resource, { namespace: asked.namespace }, asked.signal));
      return isCached ? cache.list(resource, asked) : live.list(resource, { ...asked, live: true });
    },
  };

  return {
    reads,
    known(object) {
      const unseen = writesOf(object).get(formatKey(object.metadata));
      for (const informer of cache.informersOf(object)) {
        if (informer.selection.metadataOnly || informer.transform !== undefined) continue;
        const stored = informer.get(object.metadata);
        if (stored !== undefined) return unseen === undefined || unseen.hasSeen(informer) ? stored : undefined;
      }
      return undefined;
    },
    onWrite(object, change): void {
      const informers = cache.informersOf(object);
      if (informers.length === 0) return;
      const ofKind = writesOf(object);
      const key = formatKey(object.metadata);
      const { uid, namespace } = object.metadata;
      const before = ofKind.get(key);
      const version = object.metadata.resourceVersion || (before?.uid === uid ? before.version : "");
      const written: KubeObject = { ...object, metadata: { ...object.metadata, resourceVersion: version } };
      const seen = new Map(informers.map((informer) => [informer, informer.watermark.after(written, change)]));
      const hasSeen = (informer: SharedInformer): boolean => {
        const ask = seen.get(informer);
        // An informer that was begun after the write listed after it.
        return ask === undefined || ask();
      };
      forgetSeen(ofKind, cache.informersOf(object));
      ofKind.delete(key);
      if (![...seen.values()].every((ask) => ask())) ofKind.set(key, { uid, version, namespace, untilMs: clock.elapsed() + waitMs, hasSeen });
    },
  };
}

/** Takes out the oldest writes that every informer has seen: two a write, so that what nobody reads goes away too. */
function forgetSeen(ofKind: Map<string, Write>, informers: readonly SharedInformer[]): void {
  let looked = 0;
  for (const [key, write] of ofKind) {
    if (looked === 2) return;
    looked += 1;
    if (informers.every(write.hasSeen)) ofKind.delete(key);
  }
}
