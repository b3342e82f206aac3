import type { StoredObject } from "../registry/api-object.ts";
import type { ResourceRequest } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";

type Asked = Pick<ResourceRequest, "served" | "subresource">;

/**
 * A stored object as it answers a request: in its version, and without what the kind hides. Through a subresource
 * nothing is hidden, since the real server's stores for those have no Decorator.
 */
export async function shownObject(core: ServerCore, request: Asked, object: StoredObject): Promise<StoredObject> {
  if (request.subresource !== undefined) return await readObject(core, request, object);
  const [shown = object] = await core.codec.present(request.served, [object]);
  return shown;
}

/** A stored object in the version of a request, as it stands in store: with what readers do not see. */
export async function readObject(
  { codec }: ServerCore,
  { served }: Pick<Asked, "served">,
  object: StoredObject,
): Promise<StoredObject> {
  const [read = object] = await codec.read(served, [object]);
  return read;
}
