import { ApiError } from "../failure/api-error.ts";
import { removeObject } from "./delete.ts";
import { readDeleteOptions } from "./delete-option.ts";
import { listObjects, type ObjectList } from "./list.ts";
import { readListOptions } from "./list-option.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { selectionOf } from "./selection.ts";
import type { ServerCore } from "./server-core.ts";

/** DELETE of a collection: every object that the list of the same query gives, one by one. Answers that list. */
export async function deleteCollection(core: ServerCore, request: ResourceRequest): Promise<ObjectList> {
  // What cannot be listed is refused before anything is said of the deletion.
  selectionOf(readListOptions(request.query, false).selectors, request);
  const options = readDeleteOptions(request.query, request.body);
  const list = await listObjects(core, request);
  for (const { metadata } of list.items) {
    request.signal.throwIfAborted();
    try {
      await removeObject(core, { ...request, name: metadata.name, namespace: metadata.namespace }, options);
    } catch (error) {
      // Somebody else has deleted it meanwhile: what was asked for holds.
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
    }
  }
  return list;
}
