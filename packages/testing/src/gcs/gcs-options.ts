import type { KeyObject } from "node:crypto";
import type { ObjectStoreOptions } from "../store/object-store.ts";

/** One key of a service account, as Google knows it. */
export interface GcsAccount {
  /** `probe@project.iam.gserviceaccount.com`. */
  readonly email: string;
  /** What signs its assertions, as PEM or an object; without it no token can be had with an assertion. */
  readonly publicKey?: string | KeyObject;
  /** Of the `kid` in assertions; default: any. */
  readonly keyId?: string;
  /** May do everything, create and list buckets included. */
  readonly admin?: boolean;
}

/**
 * IAM permissions without their `storage.`: HEAD and GET of a bucket need `buckets.get`, a list of its objects does
 * not.
 */
export type GcsPermission =
  | "buckets.get"
  | "buckets.delete"
  | "objects.list"
  | "objects.get"
  | "objects.create"
  | "objects.delete";

export interface GcsBucketOptions {
  /** What service accounts may, by their address. */
  readonly grants?: Readonly<Record<string, readonly GcsPermission[]>>;
  /** What everybody may: Google's allUsers. */
  readonly allUsers?: readonly GcsPermission[];
  /** Default `US`. */
  readonly location?: string;
  /** Content by name. */
  readonly objects?: Readonly<Record<string, string | Uint8Array>>;
}

export interface GcsStoreOptions extends ObjectStoreOptions {
  readonly accounts: readonly GcsAccount[];
  /** By name. */
  readonly buckets: Readonly<Record<string, GcsBucketOptions>>;
}
