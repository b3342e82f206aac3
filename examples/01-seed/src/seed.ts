import type { Duration, LeaderRunnable, ObjectOf } from "farwatch";
import * as farwatch from "farwatch";
import { z } from "zod";

export const StorageBucket = farwatch.defineResource({
  group: "example.farwatch.dev",
  version: "v1alpha1",
  kind: "StorageBucket",
  spec: z.object({ url: z.url().describe("Where the bucket answers, https://host/bucket.") }),
  status: z.object({ available: z.boolean().optional(), lastProbeTime: z.iso.datetime().optional() }),
});
export type StorageBucket = ObjectOf<typeof StorageBucket>;

export interface SeedOptions {
  readonly every: Duration;
  readonly spread?: Duration; // what one tick causes is spaced over this; default: the interval
  readonly probe: (bucket: StorageBucket, signal: AbortSignal) => Promise<boolean>;
}

export function seed({ every, spread = every, probe }: SeedOptions) {
  const ticks = farwatch.channelSource({ name: "ticks" }); // carries nothing: an event is enough
  const ticker: LeaderRunnable = {
    name: "ticker",
    async start({ clock, signal }) {
      for await (const _ of clock.ticks(every, signal)) await ticks.send(undefined, { signal });
    },
  };
  const mapAll = farwatch.enqueueRequestsFromMapFunc(async (_tick: undefined, { cache }) => {
    const buckets = await cache.list(StorageBucket); // waits for the cache; a failure is tried again
    return buckets.map((bucket) => ({
      ...farwatch.keyOf(bucket),
      after: farwatch.phaseOf(bucket.metadata.uid, farwatch.toMs(spread)),
    }));
  });
  const controller = farwatch.defineController({
    for: StorageBucket, // its own status writes do not wake it: `wakeOn` is "spec" for a kind with a status
    watches: [farwatch.watch(ticks, mapAll)],
    concurrency: 32,
    async reconcile(request, { client, clock, signal }) {
      const bucket = await client.find(StorageBucket, request, { signal });
      if (bucket === undefined) return; // deleted meanwhile: nothing to do
      const available = await probe(bucket, signal);
      await client.patchStatus(bucket, { available, lastProbeTime: clock.now().toISOString() }, { signal });
    },
  });
  return { ticks, ticker, controller };
}
