export {
  type StorageBucketControllerOptions,
  storageBucketController,
} from "./controller/storage-bucket-controller.ts";
export {
  type AllowedEndpoint,
  createEndpointPolicy,
  type EndpointPolicy,
  parseAllowedEndpoint,
} from "./endpoint/endpoint-policy.ts";
export { createS3Probe, type S3Probe, type S3ProbeOptions } from "./probe/s3-probe.ts";
export { type ProbeReason, type Reason, reasons } from "./resource/reason.ts";
export {
  credentialsSecretType,
  StorageBucket,
  type StorageBucketSpec,
  type StorageBucketStatus,
} from "./resource/storage-bucket.ts";
