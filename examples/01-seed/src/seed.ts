import { channelSource, defineController, defineResource, enqueueRequestsFromMapFunc, watch } from "farwatch";
import { type Duration, type LeaderRunnable, type ObjectOf, phaseOf, toMs } from "farwatch";
import { z } from "zod";

export const StorageBucket = defineResource({
  group: "example.farwatch.dev",
  version: "v1alpha1",
  kind: "StorageBucket",
  spec: z.object({ url: z.url().describe("Where the bucket answers, https://host/bucket.") }),
  status: z.object({ available: z.boolean().optional(), lastProbeTime: z.iso.datetime().optional() }),
  printerColumns: [{ name: "Available", path: ".status.available" }],
});
export type StorageBucket = ObjectOf<typeof StorageBucket>;

export interface SeedOptions {
  readonly every: Duration; // a tick from outside the cluster
  readonly spread?: Duration; // the buckets of one tick are spaced over this; 0: all at once
  readonly probe: (bucket: StorageBucket, signal: AbortSignal) => Promise<boolean>;
}

export function seed({ every, spread = every, probe }: SeedOptions) {
  const ticks = channelSource({ name: "ticks" }); // carries nothing: an event is enough
  const ticker: LeaderRunnable = {
    name: "ticker",
    async start({ clock, signal }) {
      for await (const _ of clock.ticks(every, signal)) await ticks.send(undefined, { signal });
    },
  };
  const spreadMs = toMs(spread);
  const controller = defineController({
    for: StorageBucket, // our own status writes do not wake us: `wakeOn` is "spec" for a kind with a status
    watches: [
      watch(
        ticks,
        enqueueRequestsFromMapFunc(async (_tick, { cache }) => {
          const buckets = await cache.list(StorageBucket); // waits for the cache; a failure is tried again
          return buckets.map(({ metadata: { namespace, name, uid } }) => ({
            ...{ namespace, name, after: spreadMs === 0 ? 0 : phaseOf(uid, spreadMs) },
          }));
        }),
      ),
    ],
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
