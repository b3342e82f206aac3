import type { Resource } from "../resource/resource.ts";
import type { KubeObject } from "../wire/object.ts";
import { describeWrite, objectPath } from "./api-path.ts";
import { carriedVersion } from "./carried-version.ts";
import type { Client, Reader, WriteOptions } from "./client.ts";
import { conflict, gone, goneOrStatusless, isConflict, whyStatusIsVoid } from "./conflict.ts";
import type { ClientView } from "./connected-client.ts";
import type { KindRegistry } from "./kind-registry.ts";
import { isMissingObject } from "./live-reader.ts";
import { mergePatchChanges, sameObject } from "./no-change.ts";
import { replaceObject } from "./replace-object.ts";
import type { WriteSender } from "./write-sender.ts";

export type StatusWriter = Pick<Client, "patchStatus" | "applyStatus" | "updateStatus">;

/** The writes to the status subresource. */
export function createStatusWriter(
  registry: KindRegistry,
  live: Reader,
  sender: WriteSender,
  view: ClientView,
): StatusWriter {
  /**
   * Sends a status with the version that was read and, when the object has another by now, once more with that one,
   * unless the status is void: computed from an object that is gone, or from another spec.
   */
  const sendTwice = async <O extends KubeObject>(
    resource: Resource<O>,
    object: O,
    options: WriteOptions,
    send: (version: string | undefined) => Promise<O>,
  ): Promise<O> => {
    const doing = (): string => describeWrite("patch", resource, object, "status");
    const version = carriedVersion(doing, object, options);
    try {
      return await send(version);
    } catch (error) {
      if (isMissingObject(error)) throw goneOrStatusless(doing(), error);
      if (version === undefined || !isConflict(error)) throw error;
      const now = await live.find(resource, object.metadata, { signal: options.signal });
      if (now === undefined) throw gone(doing(), error);
      const why = whyStatusIsVoid(object, now);
      if (why !== undefined) throw conflict(doing(), why, error);
      return send(now.metadata.resourceVersion);
    }
  };

  return {
    async patchStatus(object, status, options = {}) {
      const resource = registry.resourceOf(object) as Resource<typeof object>;
      if (!options.unconditional && !options.dryRun && !mergePatchChanges({ status: object.status }, { status }))
        return object;
      const path = objectPath(resource, object.metadata, "status");
      return sendTwice(resource, object, options, (resourceVersion) =>
        sender.write(
          resource,
          {
            method: "PATCH",
            path,
            contentType: "application/merge-patch+json",
            body: resourceVersion === undefined ? { status } : { metadata: { resourceVersion }, status },
            repeatable: true,
          },
          options,
        ),
      );
    },

    async applyStatus(object, status, options = {}) {
      const resource = registry.resourceOf(object) as Resource<typeof object>;
      const { apiVersion, kind } = object;
      const { name, namespace } = object.metadata;
      const path = objectPath(resource, object.metadata, "status");
      return sendTwice(resource, object, options, (resourceVersion) =>
        sender.write(
          resource,
          {
            method: "PATCH",
            path,
            query: { force: "true" },
            // JSON is YAML.
            contentType: "application/apply-patch+yaml",
            body: { apiVersion, kind, metadata: { name, namespace, resourceVersion }, status },
            repeatable: true,
          },
          options,
        ),
      );
    },

    async updateStatus(object, options = {}) {
      const resource = registry.resourceOf(object) as Resource<typeof object>;
      const known = options.unconditional || options.dryRun ? undefined : view.known?.(object);
      if (known !== undefined && sameObject(known, object)) return object;
      return replaceObject(sender, live, { resource, object, subresource: "status" }, options);
    },
  };
}
