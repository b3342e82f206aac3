import type { StoredObject } from "./api-object.ts";

/** Names a resource of the server: `{ group: "apps", resource: "deployments" }`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/**
 * What the server itself reads of its own objects, in their storage version: roles, service accounts, webhooks,
 * namespaces.
 */
export interface ObjectReader {
  find(
    resource: GroupResource,
    key: { readonly namespace?: string | undefined; readonly name: string },
  ): StoredObject | undefined;
  /** All, or those of one namespace, sorted by namespace and name. */
  list(resource: GroupResource, namespace?: string): readonly StoredObject[];
}
