import { createHash } from "node:crypto";
import type { Instant } from "farwatch";
import { accessDenied, noSuchBucket, S3Error } from "./s3-error.ts";
import type { S3BucketOptions, S3Permission, S3User } from "./s3-options.ts";

export interface S3Object {
  readonly content: Buffer;
  /** Quoted. */
  readonly etag: string;
  readonly modifiedAt: Instant;
  /** content-type, x-amz-meta-… and the like, as they are given back. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface S3Bucket {
  readonly name: string;
  readonly region: string;
  readonly owner: string | undefined;
  readonly grants: Readonly<Record<string, readonly S3Permission[]>>;
  readonly anonymous: readonly S3Permission[];
  readonly createdAt: Instant;
  readonly objects: Map<string, S3Object>;
}

/** Lower-case letters, digits, dots and hyphens, 3 to 63 of them; no address, no dots beside dots or hyphens. */
export function isBucketName(name: string): boolean {
  return (
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !/\.\.|\.-|-\./.test(name) && !/^\d+\.\d+\.\d+\.\d+$/.test(name)
  );
}

export function createBucket(
  name: string,
  options: S3BucketOptions,
  at: { readonly region: string; readonly now: Instant },
): S3Bucket {
  const { owner, region = at.region, grants = {}, anonymous = [], objects = {} } = options;
  const contents = Object.entries(objects).map(([key, content]) => [key, createObject(content, {}, at.now)] as const);
  return { name, region, owner, grants, anonymous, createdAt: at.now, objects: new Map(contents) };
}

export function createObject(
  content: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
  now: Instant,
): S3Object {
  const bytes = Buffer.from(content);
  const etag = `"${createHash("md5").update(bytes).digest("hex")}"`;
  return { content: bytes, etag, modifiedAt: now, headers: { "content-type": "binary/octet-stream", ...headers } };
}

/** @throws S3Error `InvalidBucketName`, `NoSuchBucket`. */
export function findBucket(buckets: ReadonlyMap<string, S3Bucket>, name: string): S3Bucket {
  checkBucketName(name);
  const bucket = buckets.get(name);
  if (bucket === undefined) throw noSuchBucket(name);
  return bucket;
}

/** @throws S3Error `InvalidBucketName`. */
export function checkBucketName(name: string): void {
  if (isBucketName(name)) return;
  throw new S3Error({
    status: 400,
    code: "InvalidBucketName",
    message: "The specified bucket is not valid.",
    more: [["BucketName", name]],
  });
}

/** True for who may do everything with the bucket. */
export function owns(user: S3User | undefined, { owner }: S3Bucket): boolean {
  return user !== undefined && (user.admin === true || user.accessKeyId === owner);
}

export function may(user: S3User | undefined, permission: S3Permission, bucket: S3Bucket): boolean {
  if (owns(user, bucket) || bucket.anonymous.includes(permission)) return true;
  const { grants } = bucket;
  if (user === undefined || !Object.hasOwn(grants, user.accessKeyId)) return false;
  return grants[user.accessKeyId]?.includes(permission) ?? false;
}

/** @throws S3Error `AccessDenied`. */
export function demand(user: S3User | undefined, permission: S3Permission, bucket: S3Bucket): void {
  if (!may(user, permission, bucket)) throw accessDenied();
}
