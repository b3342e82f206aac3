import type { Resource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import { describeWrite, objectPath } from "./api-path.ts";
import { carriedVersion, withVersion } from "./carried-version.ts";
import type { Reader, WriteOptions } from "./client.ts";
import { isConflict } from "./conflict.ts";
import { StatusError } from "./status-error.ts";
import type { WriteSender } from "./write-sender.ts";

/** How often an unconditional PUT chases a version that others keep changing. */
const mostChases = 5;

/** PUT of an object, or of a subresource of it. */
export async function replaceObject<O extends KubeObject>(
  sender: WriteSender,
  live: Reader,
  target: { readonly resource: Resource<O>; readonly object: O; readonly subresource: string | undefined },
  options: WriteOptions,
): Promise<O> {
  const { resource, object, subresource } = target;
  const path = objectPath(resource, object.metadata, subresource);
  const version = carriedVersion(() => describeWrite("update", resource, object, subresource), object, options);
  const put = (body: object): Promise<O> =>
    sender.write(resource, { method: "PUT", path, body, repeatable: true }, options);
  if (version !== undefined) return put(object);
  try {
    return await put(withVersion(object, undefined));
  } catch (error) {
    if (!wantsVersion(error)) throw error;
  }
  for (let chases = 1; ; chases += 1) {
    const now = await live.get(resource, object.metadata, { signal: options.signal });
    try {
      return await put(withVersion(object, now.metadata.resourceVersion));
    } catch (error) {
      if (!isConflict(error) || chases === mostChases) throw error;
    }
  }
}

/** Custom resources, unlike most built-in kinds, cannot be replaced without naming a version. */
function wantsVersion(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    error.code === "Invalid" &&
    error.causes.some(({ field }) => field === "metadata.resourceVersion")
  );
}
