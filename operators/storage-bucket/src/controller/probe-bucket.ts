import type { ReconcileContext, Secret } from "farwatch";
import { readBucketSecret } from "../credential/bucket-secret.ts";
import { readCaBundle } from "../credential/ca-bundle.ts";
import type { EndpointPolicy } from "../endpoint/endpoint-policy.ts";
import type { ProbeResult } from "../probe/probe-result.ts";
import type { S3Probe } from "../probe/s3-probe.ts";
import type { ProbeReason } from "../resource/reason.ts";
import { credentialsSecretType, type StorageBucket } from "../resource/storage-bucket.ts";

export interface ProbeBucketOptions {
  readonly probe: S3Probe;
  readonly policy: EndpointPolicy;
}

export interface ProbeBucketInput {
  readonly bucket: StorageBucket;
  /** The Secret that the spec names, when there is one of its name and of our type. */
  readonly secret: Secret | undefined;
  /** Where an earlier probe found the bucket. */
  readonly region: string | undefined;
}

/** Gathers what the spec names and asks the bucket; what is missing or not usable is the result. */
export async function probeBucket(
  { probe, policy }: ProbeBucketOptions,
  { bucket, secret, region }: ProbeBucketInput,
  { client, signal }: Pick<ReconcileContext, "client" | "signal">,
): Promise<ProbeResult> {
  const { s3, credentials, caBundleRef, probe: settings } = bucket.spec;
  const { namespace = "" } = bucket.metadata;
  if (s3 === undefined)
    return notAsked("InvalidSpec", "the spec names no provider that this version of the operator knows");

  const name = credentials.secretRef?.name;
  if (name !== undefined && secret === undefined) {
    return notAsked("CredentialsNotFound", `there is no Secret ${name} of type ${credentialsSecretType}`);
  }
  const read = secret === undefined ? undefined : readBucketSecret(secret);
  if (read !== undefined && "problem" in read) return notAsked("InvalidSecret", read.problem);

  const ca =
    caBundleRef === undefined ? undefined : await readCaBundle(client, { namespace, ref: caBundleRef }, signal);
  if (ca !== undefined && "problem" in ca) return notAsked("InvalidCABundle", ca.problem);

  const connectPolicy = policy.forNamespace(namespace);
  const timeoutMs = settings.timeoutSeconds * 1_000;
  return probe({ spec: s3, secret: read, ca: ca?.pem, connectPolicy, timeoutMs, region }, signal);
}

function notAsked(reason: ProbeReason, message: string): ProbeResult {
  return { reason, message, durationMs: 0 };
}
