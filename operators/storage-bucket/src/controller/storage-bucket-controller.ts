import { hash } from "node:crypto";
import {
  type BucketEvent,
  type Clock,
  type Controller,
  defineController,
  enqueueRequestForObject,
  enqueueRequestsFromMapFunc,
  formatKey,
  type Informer,
  type InformerOptions,
  isCodedError,
  keyOf,
  kindSource,
  type Metrics,
  type ReconcileContext,
  type Request,
  type Result,
  Secret,
  type Source,
  timerSource,
  waitsForRun,
  watch,
} from "farwatch";
import type { EndpointPolicy } from "../endpoint/endpoint-policy.ts";
import type { ProbeResult } from "../probe/probe-result.ts";
import type { S3Probe } from "../probe/s3-probe.ts";
import { credentialsSecretType, StorageBucket } from "../resource/storage-bucket.ts";
import { createBucketMetrics } from "../status/bucket-metrics.ts";
import { type NextStatus, nextStatus } from "../status/bucket-status.ts";
import { bucketEventWatch } from "./bucket-event-watch.ts";
import { type Counterpart, counterpartOf, placesOf } from "./counterpart.ts";
import { doublingsOf, dueOf, type Remembered } from "./due.ts";
import { probeBucket } from "./probe-bucket.ts";
import { type Admission, createProbeCircuits } from "./probe-circuits.ts";
import { createProbeTurns, type ProbeTurnsOptions } from "./probe-turns.ts";

export interface StorageBucketControllerOptions extends ProbeTurnsOptions {
  readonly probe: S3Probe;
  readonly policy: EndpointPolicy;
  /** The manager's. */
  readonly clock: Clock;
  readonly metrics: Metrics;
  /**
   * Only buckets and Secrets of this namespace; default: all. The manager's `cache` must say the same of StorageBuckets: where it
   * holds others, each look for the buckets of an endpoint lists those of this namespace anew.
   */
  readonly namespace?: string | undefined;
  /** Probes at once; default 64. A probe mostly waits, so this bounds what hung endpoints can hold up. */
  readonly concurrency?: number | undefined;
  /**
   * Of these of buckets of one namespace, so that its hung endpoints make no bucket of another late; default: a quarter, or
   * all where `namespace` leaves one.
   */
  readonly namespaceConcurrency?: number | undefined;
  /** What happens in buckets: those that name one of them are probed at once. Needs the permission to patch StorageBuckets. */
  readonly bucketEvents?: readonly Source<BucketEvent>[] | undefined;
}

/** Probes each bucket on its own grid, at once when its spec or its Secret changes or somebody asks, and keeps its status. */
export function storageBucketController(options: StorageBucketControllerOptions): Controller {
  const { namespace, concurrency = 64 } = options;
  const turns = createProbeTurns(options);
  const circuits = createProbeCircuits(options);
  const metrics = createBucketMetrics(options.metrics);
  const memory = new Map<string, Remembered>();
  // The selector keeps every other Secret out of this process's memory.
  const secrets: InformerOptions<Secret> = { fields: `type=${credentialsSecretType}`, namespace };

  const secretOf = async (
    { spec, metadata }: StorageBucket,
    { cache, signal }: ReconcileContext,
  ): Promise<Secret | undefined> => {
    const name = spec.credentials.secretRef?.name;
    if (name === undefined) return undefined;
    using informer = cache.informer(Secret, secrets);
    await informer.synced(signal);
    return informer.get({ namespace: metadata.namespace, name });
  };

  const endpoints: InformerOptions<StorageBucket> = { namespace, indexes: { endpoint: placesOf } };

  /** Asks whether a probe that is due is to be made, or left to another bucket of its endpoint. */
  const enter = (
    bucket: StorageBucket,
    counterpart: Counterpart,
    { informer, isFresh }: { readonly informer: Informer<StorageBucket>; readonly isFresh: boolean },
  ): Admission =>
    circuits.enter({
      bucket,
      counterpart,
      caller: {
        name: formatKey(bucket.metadata),
        every: periodMsOf(bucket) * 2 ** doublingsOf(bucket),
        // Whoever has changed something, or asks, is given an answer.
        always: isFresh || waitsForRun(bucket),
      },
      *peers(isSuch) {
        const [place = ""] = placesOf(bucket);
        for (const other of informer.list({ index: ["endpoint", place] })) {
          const name = formatKey(other.metadata);
          if (periodMsOf(other) > 0 && isSuch(counterpartOf(other, memory.get(name)?.region))) yield name;
        }
      },
    });

  const forget = (request: Request): void => {
    memory.delete(formatKey(request));
    metrics.forget(request);
  };

  const reconcile = async (request: Request, ctx: ReconcileContext): Promise<Result | undefined> => {
    const { client, cache, clock, signal } = ctx;
    const key = formatKey(request);
    const bucket = await client.find(StorageBucket, request, { signal });
    if (bucket === undefined || bucket.metadata.deletionTimestamp !== undefined) {
      forget(request);
      return undefined;
    }
    const { spec } = bucket;
    const secret = await secretOf(bucket, ctx);
    const credentials = fingerprint(secret);
    const before = memory.get(key);
    const startedMs = clock.now().getTime();
    const due = dueOf(bucket, before, credentials, clock.now());
    if (!due.probe && !spec.suspend) {
      if (before === undefined) memory.set(key, { credentials, sinceMs: startedMs });
      metrics.show(request, spec, bucket.status);
      return due.afterMs === undefined ? undefined : { requeueAfter: due.afterMs };
    }

    using informer = cache.informer(StorageBucket, endpoints);
    const counterpart = counterpartOf(bucket, before?.region);
    using admission = due.probe ? enter(bucket, counterpart, { informer, isFresh: due.fresh }) : undefined;
    const skipped = admission?.skipped;
    const isProbed = due.probe && skipped === undefined;
    if (isProbed) {
      const nowMs = clock.elapsed();
      const turnMs = before?.turnMs ?? nowMs + turns.reserve(counterpart);
      if (turnMs > nowMs) {
        memory.set(key, { ...(before ?? { credentials, sinceMs: startedMs }), turnMs });
        // Not here: a worker that waits is one less for others.
        return { requeueAfter: turnMs - nowMs };
      }
    }

    const result = isProbed ? await probeBucket(options, { bucket, secret, region: before?.region }, ctx) : undefined;
    if (result !== undefined) admission?.found(result);
    const fresh = due.probe && due.fresh;
    const next = nextStatus({
      bucket,
      result,
      skipped,
      now: clock.now(),
      fresh,
      requested: waitsForRun(bucket),
      streaks: before?.streaks,
    });
    if (next.write) {
      try {
        await client.applyStatus(bucket, next.status, { signal });
      } catch (error) {
        if (!isCodedError(error, "NotFound")) throw error;
        forget(request);
        return undefined;
      }
    }
    const region = result?.region ?? before?.region;
    const probedMs = isProbed ? startedMs : before?.probedMs;
    memory.set(key, { credentials, sinceMs: startedMs, probedMs, streaks: next.streaks, region });
    metrics.show(request, spec, next.status);
    if (skipped !== undefined) metrics.skipped(skipped, "s3");
    if (result === undefined) return undefined;
    metrics.probed(request, result, "s3");
    tell(bucket, result, next, ctx);
    return undefined;
  };

  return defineController({
    name: "storage-bucket",
    for: StorageBucket,
    watches: [
      watch(
        timerSource(StorageBucket, {
          period: periodMsOf,
          doublings: doublingsOf,
        }),
        enqueueRequestForObject,
      ),
      watch(
        kindSource(Secret, secrets),
        enqueueRequestsFromMapFunc(async (secret, { cache, signal }) => {
          const buckets = await cache.list(StorageBucket, { namespace: secret.metadata.namespace, signal });
          return buckets.filter(({ spec }) => spec.credentials.secretRef?.name === secret.metadata.name).map(keyOf);
        }),
      ),
      ...(options.bucketEvents ?? []).map((source) => bucketEventWatch(source, { namespace })),
    ],
    concurrency,
    namespaceConcurrency:
      options.namespaceConcurrency ?? (namespace === undefined ? Math.ceil(concurrency / 4) : concurrency),
    reconcile,
  });
}

/** How often it is probed by itself, as its spec says; 0: never. */
function periodMsOf({ spec }: StorageBucket): number {
  return spec.suspend ? 0 : spec.probe.periodSeconds * 1_000;
}

/** Says what a probe found: to the log, and, when it changed the bucket's state, to the bucket's users. */
function tell(
  bucket: StorageBucket,
  { reason, message, durationMs, httpStatus, detail }: ProbeResult,
  { became }: NextStatus,
  { log, events }: ReconcileContext,
): void {
  log.debug("Probed bucket", { reason, httpStatus, durationMs, ...detail });
  if (became === undefined) return;
  log.info("Bucket changed", { available: became, reason, finding: message, httpStatus, ...detail });
  events.record(bucket, { type: became === "True" ? "Normal" : "Warning", reason, action: "Probe", note: message });
}

/** Of Secrets in the cache, which are never changed. */
const fingerprints = new WeakMap<Secret, string>();

/** Changes when the credentials do, whatever else changes at the Secret. */
function fingerprint(secret: Secret | undefined): string {
  if (secret === undefined) return "";
  let known = fingerprints.get(secret);
  if (known === undefined) {
    const data = Object.entries(secret.data ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    known = hash("sha256", JSON.stringify([secret.type, data]), "base64");
    fingerprints.set(secret, known);
  }
  return known;
}
