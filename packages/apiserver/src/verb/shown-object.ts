import type { StoredObject } from "../registry/api-object.ts";
import type { ResourceRequest } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";

/**
 * A stored object as it answers a request: in its version, and without what the kind hides. Through a subresource nothing is
 * hidden, since the real server's stores for those have no Decorator.
 */
export async function shownObject(
  { codec }: ServerCore,
  { served, subresource }: ResourceRequest,
  object: StoredObject,
): Promise<StoredObject> {
  const [shown = object] = await (subresource === undefined ? codec.present : codec.read)(served, [object]);
  return shown;
}
