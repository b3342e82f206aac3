import { CodedError } from "../error/coded-error.ts";
import type { KubeObject } from "../wire/object.ts";
import type { JsonPatchOperation, WriteOptions } from "./client.ts";

/**
 * The version that a write of an object carries, so that it cannot overwrite what was not seen; undefined when the
 * caller asked for that.
 *
 * @throws CodedError `MissingVersion` when the object was not read from the server.
 */
export function carriedVersion(doing: () => string, object: KubeObject, options: WriteOptions): string | undefined {
  if (options.unconditional) return undefined;
  const { resourceVersion } = object.metadata;
  if (typeof resourceVersion === "string" && resourceVersion !== "") return resourceVersion;
  throw new CodedError(
    "MissingVersion",
    `Cannot ${doing()}: the object has no metadata.resourceVersion; read it first, or write onto whatever is there with { unconditional: true }`,
  );
}

/** A merge patch that the server refuses with 409 when the object has another version by now. */
export function versionedMergePatch(change: object, version: string | undefined): object {
  if (version === undefined) return change;
  const { metadata } = change as { readonly metadata?: object | null };
  return { ...change, metadata: { ...metadata, resourceVersion: version } };
}

/** A JSON patch that the server refuses, with a bare 422, when the object has another version by now. */
export function versionedJsonPatch(
  operations: readonly JsonPatchOperation[],
  version: string | undefined,
): readonly JsonPatchOperation[] {
  if (version === undefined) return operations;
  return [{ op: "test", path: "/metadata/resourceVersion", value: version }, ...operations];
}

/** The object with another version, or with none. */
export function withVersion(object: KubeObject, version: string | undefined): object {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata: version === undefined ? metadata : { ...metadata, resourceVersion: version } };
}
