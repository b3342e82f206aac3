import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import type { Kind } from "../registry/kind.ts";

/** Conversion between versions by a webhook that a definition names. */
export interface WebhookConversion {
  converts(kind: Kind): boolean;
  /** The objects in another version, in their order. */
  convert(
    kind: Kind,
    objects: readonly (DraftObject | StoredObject)[],
    apiVersion: string,
  ): Promise<readonly DraftObject[]>;
}
