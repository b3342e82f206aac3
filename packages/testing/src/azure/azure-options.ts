import type { ObjectStoreOptions } from "../store/object-store.ts";

/** What a principal with an access token may do in a container: the data actions of Azure's roles. */
export type AzurePermission = "read" | "list" | "write" | "delete";

export interface AzureContainerOptions {
  /** What everybody may: read blobs, or also list them and read the container's properties. Default: nothing. */
  readonly publicAccess?: "blob" | "container";
  /**
   * What principals of access tokens may. `list` is for the blobs, `read` for them and for the container's properties.
   */
  readonly grants?: Readonly<Record<string, readonly AzurePermission[]>>;
  /** Content by name. */
  readonly blobs?: Readonly<Record<string, string | Uint8Array>>;
}

export interface AzureAccountOptions {
  /** Access keys in base64, the first of which is for new signatures; each may do everything. */
  readonly keys: readonly [string, ...string[]];
  /** By name. */
  readonly containers: Readonly<Record<string, AzureContainerOptions>>;
}

export interface AzureStoreOptions extends ObjectStoreOptions {
  /** By name, which is the first label of the host, `photos.blob.core.windows.net`, or the first part of the path. */
  readonly accounts: Readonly<Record<string, AzureAccountOptions>>;
}
