import type { StorageBucketSpec } from "../resource/storage-bucket.ts";

export type S3Spec = NonNullable<StorageBucketSpec["s3"]>;

/** Where a bucket is asked, and how requests to it are signed. */
export interface S3Target {
  readonly bucket: string;
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  /** Path of the bucket: `/` for a virtual host, `/bucket` else. */
  readonly path: string;
  /** Signed with this. */
  readonly region: string;
  readonly custom: boolean;
}

/** A region name as it may come from a spec or a response header. */
export const regionPattern: RegExp = /^[a-z0-9-]{1,32}$/;

/** `region` overrides the spec's: one that was discovered. On a custom endpoint it is used for signing alone. */
export function s3Target(spec: S3Spec, region: string | undefined): S3Target {
  const signing = region ?? spec.region ?? "us-east-1";
  const custom = spec.endpoint !== undefined;
  // A dot in the name does not fit the provider's wildcard certificate.
  const virtual =
    spec.addressing === "VirtualHost" || (spec.addressing === "Auto" && !custom && !spec.bucket.includes("."));
  const china = signing.startsWith("cn-");
  const base = new URL(spec.endpoint ?? `https://s3.${signing}.amazonaws.com${china ? ".cn" : ""}`);
  if (virtual) base.hostname = `${spec.bucket}.${base.hostname}`;
  const defaultPort = base.protocol === "https:" ? 443 : 80;
  return {
    bucket: spec.bucket,
    origin: base.origin,
    host: base.hostname.replace(/^\[|\]$/g, ""),
    port: base.port === "" ? defaultPort : Number(base.port),
    path: virtual ? "/" : `/${spec.bucket}`,
    region: signing,
    custom,
  };
}
