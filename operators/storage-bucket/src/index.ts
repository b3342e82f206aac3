export {
  type StorageBucketControllerOptions,
  storageBucketController,
} from "./controller/storage-bucket-controller.ts";
export { type S3Credentials, UnusableSecret } from "./credential/bucket-secret.ts";
export { createEndpointPolicy, type EndpointPolicy } from "./endpoint/endpoint-policy.ts";
export type { ProbeResult } from "./probe/probe-result.ts";
export { createS3Probe, type S3Probe, type S3ProbeRequest } from "./probe/s3-probe.ts";
export { type ProbeReason, type Reason, reasons } from "./resource/reason.ts";
export {
  credentialsSecretType,
  StorageBucket,
  type StorageBucketSpec,
  type StorageBucketStatus,
} from "./resource/storage-bucket.ts";
