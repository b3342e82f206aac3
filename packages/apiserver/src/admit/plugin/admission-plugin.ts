import { type ApiError, forbidden } from "../../failure/api-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import type { AdmissionAttributes } from "../attributes.ts";

/** One of the checks and changes that the real server compiles in: an admission plugin of it that is on by default. */
export interface AdmissionPlugin {
  /**
   * Asked of every request, before any of them validates; may change the object in place.
   *
   * @throws ApiError where it refuses.
   */
  readonly admit?: (attributes: AdmissionAttributes) => void;
  /** @throws ApiError where it refuses the object as it will be stored. */
  readonly validate?: (attributes: AdmissionAttributes) => void;
}

/** The object of a create or update of this very resource; undefined for all other requests. */
export function writtenObject(
  { served: { kind }, subresource, object, operation }: AdmissionAttributes,
  group: string,
  plural: string,
): DraftObject | undefined {
  const isOfResource = kind.plural === plural && kind.group === group && subresource === undefined;
  return isOfResource && (operation === "CREATE" || operation === "UPDATE") ? object : undefined;
}

/** A refusal that names the object, which may have no name yet. `why` follows `RESOURCE "NAME" is forbidden: `. */
export function refusal({ served: { kind }, name, object }: AdmissionAttributes, why: string): ApiError {
  const { name: written, generateName } = object?.metadata ?? {};
  const shown = [name, written, generateName].find((one) => one !== undefined && one !== "") ?? "Unknown";
  return forbidden({ group: kind.group, resource: kind.plural, name: shown }, why);
}
