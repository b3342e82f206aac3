import type { JsonObject } from "farwatch";
import type { DraftObject } from "../registry/api-object.ts";
import type { FieldOwner } from "./field-owner.ts";

export interface RecordedUpdate extends FieldOwner {
  /** The stored object in the version of the request; undefined at a creation. */
  readonly before: JsonObject | undefined;
  /**
   * What the request makes of it, decoded and defaulted, but before any strategy, webhook or validation has touched it. Its
   * `metadata.managedFields`, as the client sent them, are replaced in place.
   */
  readonly after: DraftObject;
}

/** Sets `after.metadata.managedFields` for a create, an update or a patch other than apply. Never throws for what a client sent. */
export async function recordUpdate(update: RecordedUpdate): Promise<void> {
  throw new Error(`Cannot record the update of a ${update.kind.kind}: not built yet`);
}
