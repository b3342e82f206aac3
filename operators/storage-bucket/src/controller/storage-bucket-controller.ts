import { createHash } from "node:crypto";
import {
  type Controller,
  type Duration,
  defineController,
  enqueueRequestForObject,
  enqueueRequestsFromMapFunc,
  formatKey,
  type InformerOptions,
  isCodedError,
  keyOf,
  kindSource,
  type ReconcileContext,
  type Request,
  type Result,
  Secret,
  timerSource,
  watch,
} from "farwatch";
import { type BucketSecret, readBucketSecret, UnusableSecret } from "../credential/bucket-secret.ts";
import { readCaBundle, UnusableCaBundle } from "../credential/ca-bundle.ts";
import type { EndpointPolicy } from "../endpoint/endpoint-policy.ts";
import type { ProbeResult } from "../probe/probe-result.ts";
import type { S3Probe } from "../probe/s3-probe.ts";
import type { ProbeReason } from "../resource/reason.ts";
import { credentialsSecretType, StorageBucket } from "../resource/storage-bucket.ts";
import { nextStatus } from "../status/bucket-status.ts";
import { dueOf, type Remembered } from "./due.ts";

export interface StorageBucketControllerOptions {
  readonly probe: S3Probe;
  readonly policy: EndpointPolicy;
  /** Only buckets of this namespace; default: all. */
  readonly namespace?: string | undefined;
  /** Probes at once; default 64. A probe mostly waits, so this bounds what hung endpoints can hold up. */
  readonly concurrency?: number | undefined;
}

/** Probes each bucket on its own grid, at once when its spec or its Secret changes, and keeps its status. */
export function storageBucketController(options: StorageBucketControllerOptions): Controller {
  const { namespace } = options;
  const remembered = new Map<string, Remembered>();
  // The selector keeps every other Secret out of this process's memory.
  const secrets: InformerOptions<Secret> = { fields: `type=${credentialsSecretType}`, namespace };

  const secretOf = async (bucket: StorageBucket, { cache, signal }: ReconcileContext): Promise<Secret | undefined> => {
    const name = bucket.spec.credentials.secretRef?.name;
    if (name === undefined) return undefined;
    using informer = cache.informer(Secret, secrets);
    await informer.synced(signal);
    return informer.get({ namespace: bucket.metadata.namespace, name });
  };

  const probeBucket = async (
    bucket: StorageBucket,
    secret: Secret | undefined,
    ctx: ReconcileContext,
  ): Promise<ProbeResult> => {
    const { spec, metadata } = bucket;
    const bucketNamespace = metadata.namespace ?? "";
    const name = spec.credentials.secretRef?.name;
    if (spec.s3 === undefined)
      return notAsked("UnexpectedResponse", "the spec names no provider that this version knows");
    if (name !== undefined && secret === undefined) {
      return notAsked("CredentialsNotFound", `Secret ${name} of type ${credentialsSecretType} does not exist`);
    }
    try {
      const ca =
        spec.caBundleRef === undefined
          ? undefined
          : await readCaBundle(ctx.client, bucketNamespace, spec.caBundleRef, ctx.signal);
      const credentials: BucketSecret | undefined = secret === undefined ? undefined : readBucketSecret(secret);
      return await options.probe(
        {
          spec: spec.s3,
          secret: credentials,
          ca,
          connectPolicy: options.policy.forNamespace(bucketNamespace),
          timeoutMs: spec.probe.timeoutSeconds * 1_000,
        },
        ctx.signal,
      );
    } catch (error) {
      if (error instanceof UnusableSecret) return notAsked("InvalidSecret", error.message);
      if (error instanceof UnusableCaBundle) return notAsked("InvalidCABundle", error.message);
      throw error;
    }
  };

  const reconcile = async (request: Request, ctx: ReconcileContext): Promise<Result | undefined> => {
    const { client, clock, events, log, signal } = ctx;
    const key = formatKey(request);
    const bucket = await client.find(StorageBucket, request, { signal });
    if (bucket === undefined || bucket.metadata.deletionTimestamp !== undefined) {
      remembered.delete(key);
      return undefined;
    }
    const { uid } = bucket.metadata;
    const secret = await secretOf(bucket, ctx);
    const credentials = fingerprint(secret);
    const known = remembered.get(key);
    const before = known?.uid === uid ? known : undefined;
    const due = dueOf(bucket, before, credentials, clock.now());
    if (!due.probe && !bucket.spec.suspend) {
      if (before === undefined) remembered.set(key, { uid, credentials, sinceMs: clock.now().getTime() });
      return due.afterMs === undefined ? undefined : { requeueAfter: due.afterMs };
    }

    const startedMs = clock.now().getTime();
    const result = due.probe ? await probeBucket(bucket, secret, ctx) : undefined;
    const { status, write, became } = nextStatus({ bucket, result, now: clock.now(), fresh: due.probe && due.fresh });
    if (write) {
      try {
        await client.applyStatus(bucket, status, { signal });
      } catch (error) {
        if (!isCodedError(error, "NotFound")) throw error;
        remembered.delete(key);
        return undefined;
      }
    }
    remembered.set(key, { uid, credentials, sinceMs: startedMs });
    if (result === undefined) return undefined;
    log.debug("Probed bucket", { ...result, ...result.detail });
    if (became !== undefined) {
      log.info("Bucket changed", {
        available: became,
        reason: result.reason,
        message: result.message,
        ...result.detail,
      });
      events.record(bucket, {
        type: became ? "Normal" : "Warning",
        reason: result.reason,
        action: "Probe",
        note: result.message,
      });
    }
    return undefined;
  };

  return defineController({
    name: "storage-bucket",
    for: StorageBucket,
    watches: [
      watch(
        timerSource(StorageBucket, {
          period: ({ spec }) => (spec.suspend ? undefined : probePeriod(spec.probe.periodSeconds)),
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
    ],
    concurrency: options.concurrency ?? 64,
    reconcile,
  });
}

function probePeriod(seconds: number): Duration | undefined {
  return seconds === 0 ? undefined : `${seconds}s`;
}

function notAsked(reason: ProbeReason, message: string): ProbeResult {
  return { reason, message, durationMs: 0 };
}

/** Changes when the credentials do, whatever else changes at the Secret. */
function fingerprint(secret: Secret | undefined): string {
  if (secret === undefined) return "";
  const data = Object.entries(secret.data ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([secret.type, data]))
    .digest("base64");
}
