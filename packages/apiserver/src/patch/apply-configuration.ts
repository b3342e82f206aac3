import type { JsonObject } from "farwatch";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import type { FieldOwner } from "./field-owner.ts";

export interface AppliedConfiguration extends FieldOwner {
  /** The stored object in the version of the request; undefined when the apply creates it. */
  readonly live: JsonObject | undefined;
  /** The body. */
  readonly applied: unknown;
  readonly force: boolean;
}

/**
 * Server-side apply: what the object becomes, with its managedFields, before defaulting, strategies and validation. When
 * nothing changes, the result equals `live` field by field. It shares no mutable part with `live` or `applied`.
 *
 * @throws ApiError 409 with a cause `FieldManagerConflict` a field that others own, 400 for a body that cannot be applied, 500
 * for a body that does not fit the schema (as the real server says it).
 */
export async function applyConfiguration(apply: AppliedConfiguration): Promise<DraftObject> {
  throw new Error(`Cannot apply a ${apply.kind.kind}: not built yet`);
}

/**
 * Gives entries of `after.metadata.managedFields` their old times again when the write changes nothing but times: the last
 * step before a write is compared with what is stored, for updates, patches and applies alike.
 */
export function keepTimesOfNoChange(before: StoredObject, after: DraftObject): void {
  throw new Error(`Cannot compare ${before.kind} and ${after.kind}: not built yet`);
}
