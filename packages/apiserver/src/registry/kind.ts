import type { CrdPrinterColumn, CrdScale } from "farwatch";
import type { ServedSchema } from "../schema/served-schema.ts";

/** What a client may do with a resource; `watch` needs `list`. */
export type KindVerb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/**
 * A path below an object: `status`, `scale`, and for built-in kinds `token`, `eviction`, `binding`, `finalize`,
 * `approval` …
 */
export interface Subresource {
  readonly name: string;
  /** The kind of its body, where it is not the parent's: `{ group: "autoscaling", version: "v1", kind: "Scale" }`. */
  readonly body?: { readonly group: string; readonly version: string; readonly kind: string } | undefined;
  readonly verbs: readonly ("create" | "delete" | "get" | "patch" | "update")[];
}

/** One version of a kind as it is served. */
export interface KindVersion {
  readonly version: string;
  readonly served: boolean;
  readonly subresources: readonly Subresource[];
  /** Of the whole object, metadata aside, which every kind has alike. */
  readonly schema: ServedSchema;
  readonly printerColumns: readonly CrdPrinterColumn[];
  readonly scale?: CrdScale | undefined;
  /** JSON paths that a field selector may name besides metadata.name and metadata.namespace: `spec.nodeName`. */
  readonly selectableFields: readonly string[];
  /** Sent in a Warning header with every answer of this version. */
  readonly deprecationWarning?: string | undefined;
}

/** A resource of the server: its names, scope and versions. Objects are stored in `storageVersion`. */
export interface Kind {
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Where nothing is stored, a kind is a question: reviews have `create` alone. */
  readonly verbs: readonly KindVerb[];
  readonly versions: readonly KindVersion[];
  readonly storageVersion: string;
  /**
   * Its objects are those of the kind of the same name in another group: Event of events.k8s.io is stored as core/v1.
   */
  readonly storedAs?: { readonly group: string; readonly version: string } | undefined;
  /** DELETE answers with the object instead of a Status, once it is gone (rest.ReturnDeletedObject): Pod, Service … */
  readonly returnsDeleted?: boolean | undefined;
  /** Its definition is being deleted: objects go, and none come. */
  readonly terminating?: boolean | undefined;
  /** A custom resource: pruned and validated by its schema. */
  readonly custom: boolean;
}
