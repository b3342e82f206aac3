import {
  type BucketEvent,
  enqueueRequestsFromMapFunc,
  type InformerOptions,
  keyOf,
  type Source,
  sourceLike,
  type Watch,
  watch,
} from "farwatch";
import { StorageBucket } from "../resource/storage-bucket.ts";

export interface BucketEventWatchOptions {
  /** Of the buckets that may be woken; undefined: all. It must be that of their controller, whose cache is looked through. */
  readonly namespace: string | undefined;
}

/**
 * Asks for a probe of each StorageBucket that names the bucket of an event: same provider, same service, same bucket. It is asked for by annotation,
 * whichever way the event came, so that it survives this process once the event is acknowledged, and the floor between probes holds for all
 * that ask. Suspended buckets are left alone.
 */
export function bucketEventWatch(source: Source<BucketEvent>, { namespace }: BucketEventWatchOptions): Watch {
  const options: InformerOptions<StorageBucket> = { namespace, indexes: { bucket: bucketsOf } };
  return watch(
    sourceLike(source, { deliver: "annotate" }),
    enqueueRequestsFromMapFunc(async ({ provider, endpoint, bucket }, { cache, signal }) => {
      using informer = cache.informer(StorageBucket, options);
      await informer.synced(signal);
      const named = informer.list({ index: ["bucket", placeOf(provider, endpoint, bucket)] });
      return named.filter(({ spec }) => !spec.suspend).map(keyOf);
    }),
  );
}

function bucketsOf({ spec: { s3 } }: StorageBucket): readonly string[] {
  return s3 === undefined ? [] : [placeOf("s3", s3.endpoint, s3.bucket)];
}

/** Amazon's bucket is the same whichever of its endpoints is named, or none. */
function placeOf(provider: BucketEvent["provider"], endpoint: string | undefined, bucket: string): string {
  const url = endpoint === undefined ? null : URL.parse(endpoint);
  const isAmazon = url !== null && /\.amazonaws\.com(?:\.cn)?$/.test(url.hostname);
  return JSON.stringify([provider, url === null || isAmazon ? "" : url.origin, bucket]);
}
