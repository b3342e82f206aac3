import type { JsonObject } from "farwatch";

/** metav1.ObjectMeta while a request works on it; only the server writes some of these. */
export interface DraftMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: DraftOwner[];
  managedFields?: DraftManagedFields[];
}

export interface DraftOwner {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** One entry of metadata.managedFields. */
export interface DraftManagedFields {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  time?: string;
  fieldsType?: "FieldsV1";
  fieldsV1?: JsonObject;
  subresource?: string;
}

/** An object on its way through a request: plain JSON, owned by that request, changed in place until it is stored. */
export interface DraftObject {
  apiVersion: string;
  kind: string;
  metadata: DraftMeta;
  [field: string]: unknown;
}

/** A stored object: whoever reads it leaves it as it is. */
export type StoredObject = Readonly<DraftObject> & {
  readonly metadata: Readonly<DraftMeta> & {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
};
