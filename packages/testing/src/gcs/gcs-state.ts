import { createHash } from "node:crypto";
import type { Instant } from "farwatch";
import { GcsError } from "./gcs-error.ts";
import type { GcsAccount, GcsBucketOptions, GcsPermission } from "./gcs-options.ts";

export interface GcsObject {
  readonly content: Buffer;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>> | undefined;
  /** Microseconds. */
  readonly generation: string;
  readonly createdAt: Instant;
}

export interface GcsBucket {
  readonly name: string;
  readonly location: string;
  readonly grants: Readonly<Record<string, readonly GcsPermission[]>>;
  readonly allUsers: readonly GcsPermission[];
  readonly createdAt: Instant;
  readonly objects: Map<string, GcsObject>;
}

/**
 * 3 to 63 lower-case letters, digits, `-`, `_` and dots; names with dots may be longer, up to 63 a part and 222 in all.
 */
export function isBucketName(name: string): boolean {
  const parts = name.split(".");
  return (
    /^[a-z0-9][a-z0-9._-]+[a-z0-9]$/.test(name) &&
    name.length <= (parts.length > 1 ? 222 : 63) &&
    parts.every((part) => part.length > 0 && part.length <= 63) &&
    !/^\d+\.\d+\.\d+\.\d+$/.test(name) &&
    !name.startsWith("goog")
  );
}

export function createBucket(name: string, options: GcsBucketOptions, now: Instant): GcsBucket {
  const { grants = {}, allUsers = [], location = "US", objects = {} } = options;
  const contents = Object.entries(objects).map(
    ([key, content], index) => [key, createObject({ content }, now, index)] as const,
  );
  return { name, location: location.toUpperCase(), grants, allUsers, createdAt: now, objects: new Map(contents) };
}

export interface GcsContent {
  readonly content: string | Uint8Array;
  readonly contentType?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** `serial` tells generations of one millisecond apart. */
export function createObject({ content, contentType, metadata }: GcsContent, now: Instant, serial: number): GcsObject {
  return {
    content: Buffer.from(content),
    contentType: contentType ?? "application/octet-stream",
    metadata,
    generation: String(now.getTime() * 1_000 + (serial % 1_000)),
    createdAt: now,
  };
}

/** @throws GcsError 401 for somebody anonymous, else 403. */
export function demand(account: GcsAccount | undefined, permission: GcsPermission, bucket: GcsBucket): void {
  if (account?.admin === true || bucket.allUsers.includes(permission)) return;
  const { grants } = bucket;
  const granted =
    account !== undefined && Object.hasOwn(grants, account.email) && grants[account.email]?.includes(permission);
  if (!granted) throw refused(account, permission);
}

/** In Google's words, which do not tell whether the resource exists. */
export function refused(account: GcsAccount | undefined, permission: string): GcsError {
  const who = account?.email ?? "Anonymous caller";
  const what = /^objects\.(?:get|create|delete)$/.test(permission) ? "object" : "bucket";
  const message = `${who} does not have storage.${permission} access to the Google Cloud Storage ${what}. Permission 'storage.${permission}' denied on resource (or it may not exist).`;
  if (account !== undefined) return new GcsError({ status: 403, reason: "forbidden", message });
  return new GcsError({
    status: 401,
    reason: "required",
    message,
    location: "Authorization",
    headers: { "www-authenticate": 'Bearer realm="https://accounts.google.com/"' },
  });
}

export function bucketResource(bucket: GcsBucket, origin: string): object {
  const { name, location, createdAt } = bucket;
  const time = createdAt.toISOString();
  return {
    kind: "storage#bucket",
    selfLink: `${origin}/storage/v1/b/${name}`,
    id: name,
    name,
    projectNumber: "0",
    generation: String(createdAt.getTime() * 1_000),
    metageneration: "1",
    location,
    storageClass: "STANDARD",
    etag: "CAE=",
    timeCreated: time,
    updated: time,
    locationType: location.includes("-") ? "region" : "multi-region",
  };
}

export function objectResource(bucket: GcsBucket, name: string, object: GcsObject, origin: string): object {
  const { content, contentType, metadata, generation, createdAt } = object;
  const time = createdAt.toISOString();
  const path = `/storage/v1/b/${bucket.name}/o/${encodeURIComponent(name)}`;
  return {
    kind: "storage#object",
    id: `${bucket.name}/${name}/${generation}`,
    selfLink: `${origin}${path}`,
    mediaLink: `${origin}/download${path}?generation=${generation}&alt=media`,
    name,
    bucket: bucket.name,
    generation,
    metageneration: "1",
    contentType,
    storageClass: "STANDARD",
    size: String(content.length),
    md5Hash: createHash("md5").update(content).digest("base64"),
    etag: Buffer.from(generation).toString("base64"),
    timeCreated: time,
    updated: time,
    timeStorageClassUpdated: time,
    ...(metadata === undefined ? {} : { metadata }),
  };
}
