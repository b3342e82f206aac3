import { endpointOrigin } from "../probe/s3-target.ts";
import type { StorageBucket } from "../resource/storage-bucket.ts";

/** Whom probes of a bucket ask, and on whose behalf: what circuits and limits count by. */
export interface Counterpart {
  readonly namespace: string;
  /** Scheme, host and port, such as `https://minio.example.com`; empty when the spec names no provider. */
  readonly endpoint: string;
  /**
   * The endpoint with the Secret, by name and never by content. Those of a namespace that ask anonymously count as one: no
   * namespace uses up what another has.
   */
  readonly credential: string;
}

/** For an index: buckets of one endpoint have the same place, those of Amazon one for all regions. */
export function placesOf({ spec: { s3 } }: StorageBucket): readonly string[] {
  return [s3?.endpoint === undefined ? "" : endpointOrigin(s3, undefined)];
}

/** `region`: where an earlier probe found the bucket, for Amazon's endpoints, which are of a region each. */
export function counterpartOf({ metadata, spec }: StorageBucket, region: string | undefined): Counterpart {
  const { namespace = "" } = metadata;
  const endpoint = spec.s3 === undefined ? "" : endpointOrigin(spec.s3, region);
  return { namespace, endpoint, credential: `${endpoint} ${namespace}/${spec.credentials.secretRef?.name ?? ""}` };
}
