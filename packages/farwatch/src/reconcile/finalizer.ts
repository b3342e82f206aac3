import type { Client, JsonPatchOperation } from "../client/client.ts";
import type { KubeObject } from "../wire/object.ts";

/**
 * Adds a finalizer to the object; gives the object back as it is when it has the finalizer. The patch tests the version
 * that was read, so that it cannot undo what somebody else changed (StatusError `Conflict`).
 */
export async function addFinalizer<O extends KubeObject>(
  client: Client,
  object: O,
  finalizer: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<O> {
  const { finalizers } = object.metadata;
  if (finalizers?.includes(finalizer)) return object;
  const operation: JsonPatchOperation =
    finalizers === undefined
      ? { op: "add", path: "/metadata/finalizers", value: [finalizer] }
      : { op: "add", path: "/metadata/finalizers/-", value: finalizer };
  return client.patch(object, [operation], options);
}

/**
 * Removes finalizers from the object in one patch that tests the version; gives the object back when it has none of
 * them.
 */
export async function removeFinalizers<O extends KubeObject>(
  client: Client,
  object: O,
  finalizers: readonly string[],
  options: { readonly signal?: AbortSignal } = {},
): Promise<O> {
  const present = object.metadata.finalizers ?? [];
  // From the end, so that each index still means what it meant when the object was read.
  const operations = present
    .map((finalizer, index): JsonPatchOperation | undefined =>
      finalizers.includes(finalizer) ? { op: "remove", path: `/metadata/finalizers/${index}` } : undefined,
    )
    .filter((operation) => operation !== undefined)
    .reverse();
  return operations.length === 0 ? object : client.patch(object, operations, options);
}
