import type { Instant } from "farwatch";
import type { ObjectStoreOptions } from "../store/object-store.ts";
import type { S3Credentials } from "./signed-request.ts";

export interface S3User extends S3Credentials {
  /** Of temporary credentials: each request must carry it. */
  readonly sessionToken?: string;
  /** From then on the session token is refused. */
  readonly expiresAt?: Instant;
  /** May do everything, create buckets included. */
  readonly admin?: boolean;
}

/**
 * `list`: HeadBucket, ListObjects, ListObjectsV2, GetBucketLocation; `read`: HeadObject, GetObject; `write`: PutObject,
 * DeleteObject.
 */
export type S3Permission = "list" | "read" | "write";

export interface S3BucketOptions {
  /** The access key id of a user, who may do everything with it; default: nobody but administrators. */
  readonly owner?: string;
  /**
   * Where the bucket lives; default: the store's region. A request through another region's endpoint is turned away.
   */
  readonly region?: string;
  /** What other users may, by their access key id. */
  readonly grants?: Readonly<Record<string, readonly S3Permission[]>>;
  /** What everybody may, unsigned. */
  readonly anonymous?: readonly S3Permission[];
  /** Content by key. */
  readonly objects?: Readonly<Record<string, string | Uint8Array>>;
}

export interface S3StoreOptions extends ObjectStoreOptions {
  /** Of its endpoint, unless the host is one of Amazon's, which names it; default `us-east-1`. */
  readonly region?: string;
  readonly users: readonly S3User[];
  /** By name. */
  readonly buckets: Readonly<Record<string, S3BucketOptions>>;
  /** Hosts under which buckets are also addressed by virtual host; default `s3.test`. Amazon's are known. */
  readonly domains?: readonly string[];
}
