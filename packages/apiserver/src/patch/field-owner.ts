import type { JsonObject } from "farwatch";
import type { Kind, KindVersion } from "../registry/kind.ts";

/**
 * Who writes, through which version and path, and when: what an entry of metadata.managedFields says besides its
 * fields.
 */
export interface FieldOwner {
  readonly kind: Kind;
  /** Of the request: the objects handed in are in this version. */
  readonly version: KindVersion;
  readonly subresource?: string | undefined;
  /** See `managerName`. */
  readonly manager: string;
  /** RFC 3339 with whole seconds. */
  readonly now: string;
  /**
   * The object in another version of the kind, which is left alone: asked for when an entry of managedFields speaks of
   * that version. Not needed where a kind has one version.
   */
  readonly convert?: ((object: JsonObject, to: KindVersion) => JsonObject | Promise<JsonObject>) | undefined;
}

/** A manager's name is cut here, in bytes. */
const maxManagerBytes = 128;

/**
 * The name of a manager: `fieldManager` of the query where it is given, otherwise what stands before the first `/` of
 * the User-Agent, its unprintable characters left out; `unknown` when nothing is left.
 */
export function managerName(fieldManager: string | undefined, userAgent: string): string {
  if (fieldManager !== undefined && fieldManager !== "") return fieldManager;
  let name = "";
  let bytes = 0;
  for (const character of userAgent.split("/", 1)[0] ?? "") {
    if (!/^(?:[\p{L}\p{M}\p{N}\p{P}\p{S}]| )$/u.test(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > maxManagerBytes) break;
    name += character;
  }
  return name === "" ? "unknown" : name;
}
