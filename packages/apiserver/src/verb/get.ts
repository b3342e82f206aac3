import { notFound } from "../failure/api-error.ts";
import type { StoredObject } from "../registry/api-object.ts";
import { objectKey } from "../store/collection.ts";
import { resourceId } from "../store/store.ts";
import { readVersion, tooLargeVersion } from "./list-option.ts";
import { textOption } from "./query-option.ts";
import { type ResourceRequest, subjectOf } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";
import { shownObject } from "./shown-object.ts";

/** One object, not older than the version that the query names. */
export async function getObject(core: ServerCore, request: ResourceRequest): Promise<StoredObject> {
  const asked = textOption(request.query, "resourceVersion");
  if (asked !== undefined && asked !== "0") {
    const version = readVersion(asked);
    if (version > core.store.version) throw tooLargeVersion(version, core.store.version);
  }
  const { served, namespace, name = "" } = request;
  const stored = core.store.get(resourceId(served.kind), objectKey({ namespace, name }));
  if (stored === undefined) throw notFound(subjectOf(request));
  return await shownObject(core, request, stored);
}
