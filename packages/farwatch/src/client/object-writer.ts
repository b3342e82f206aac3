import type { AnyResource, Resource } from "../resource/resource.ts";
import { labelSelectorText } from "../wire/label-selector.ts";
import { formatKey, type KubeObject, type Status } from "../wire/object.ts";
import { describeWrite, homePath, objectPath } from "./api-path.ts";
import { carriedVersion, versionedJsonPatch, versionedMergePatch } from "./carried-version.ts";
import type { Client, DeleteOptions, JsonPatchOperation, Reader, WriteOptions } from "./client.ts";
import { conflict, gone } from "./conflict.ts";
import type { ClientView } from "./connected-client.ts";
import type { KindRegistry } from "./kind-registry.ts";
import { isMissingObject } from "./live-reader.ts";
import { jsonPatchChanges, mergePatchChanges, sameObject } from "./no-change.ts";
import { replaceObject } from "./replace-object.ts";
import { StatusError } from "./status-error.ts";
import type { WriteSender } from "./write-sender.ts";

export type ObjectWriter = Pick<Client, "create" | "apply" | "update" | "patch" | "delete" | "deleteCollection">;

/** The writes to objects, and to subresources other than status. */
export function createObjectWriter(
  registry: KindRegistry,
  live: Reader,
  sender: WriteSender,
  view: ClientView,
): ObjectWriter {
  const jsonPatch = async <O extends KubeObject>(
    resource: Resource<O>,
    object: O,
    operations: readonly JsonPatchOperation[],
    options: WriteOptions,
  ): Promise<O> => {
    const doing = (): string => describeWrite("patch", resource, object, options.subresource);
    const version = carriedVersion(doing, object, options);
    try {
      return await sender.write<O>(
        resource,
        {
          method: "PATCH",
          path: objectPath(resource, object.metadata, options.subresource),
          contentType: "application/json-patch+json",
          body: versionedJsonPatch(operations, version),
          repeatable: version !== undefined,
        },
        options,
      );
    } catch (error) {
      // A failed test is a bare 422, like any operation that does not fit; only a look tells whether the version was
      // it.
      const bare = error instanceof StatusError && error.code === "Invalid" && error.causes.length === 0;
      if (version === undefined || !bare) throw error;
      const now = await live.find(resource, object.metadata, { signal: options.signal });
      if (now === undefined) throw gone(doing(), error);
      if (now.metadata.resourceVersion === version) throw error;
      throw conflict(doing(), `it has been changed (version ${version}, now ${now.metadata.resourceVersion})`, error);
    }
  };

  const mergePatch = async <O extends KubeObject>(
    resource: Resource<O>,
    object: O,
    change: object,
    options: WriteOptions,
  ): Promise<O> => {
    const doing = (): string => describeWrite("patch", resource, object, options.subresource);
    return sender.write(
      resource,
      {
        method: "PATCH",
        path: objectPath(resource, object.metadata, options.subresource),
        contentType: "application/merge-patch+json",
        body: versionedMergePatch(change, carriedVersion(doing, object, options)),
        repeatable: true,
      },
      options,
    );
  };

  return {
    async create(resource, input, options = {}) {
      registry.join(resource);
      const body = bodyOf(resource, input, options.subresource);
      const { name, namespace } = body.metadata;
      const path =
        options.subresource === undefined
          ? homePath(resource, namespace)
          : objectPath(resource, { namespace, name }, options.subresource);
      // The path of a POST does not say which object it is about.
      const doing = name === undefined ? undefined : `create ${resource.plural} ${formatKey({ namespace, name })}`;
      return sender.write(resource, { method: "POST", path, body, doing }, options);
    },

    async apply(resource, input, options = {}) {
      registry.join(resource);
      const { metadata, ...rest } = bodyOf(resource, input, options.subresource);
      // An object that was read has them; the server takes none in an apply.
      const { managedFields: _, ...applied } = metadata;
      return sender.write(
        resource,
        {
          method: "PATCH",
          path: objectPath(resource, metadata, options.subresource),
          query: { force: String(options.force ?? true) },
          // JSON is YAML.
          contentType: "application/apply-patch+yaml",
          body: { ...rest, metadata: applied },
          repeatable: true,
        },
        options,
      );
    },

    async update(object, options = {}) {
      const resource = registry.resourceOf(object) as Resource<typeof object>;
      const known = isComparable(options) ? view.known?.(object) : undefined;
      if (known !== undefined && sameObject(known, object)) return object;
      return replaceObject(sender, live, { resource, object, subresource: options.subresource }, options);
    },

    async patch(object, change, options = {}) {
      const resource = registry.resourceOf(object) as Resource<typeof object>;
      if (isOperations(change)) {
        if (isComparable(options) && !jsonPatchChanges(object, change)) return object;
        return jsonPatch(resource, object, change, options);
      }
      if (isComparable(options) && !mergePatchChanges(object, change)) return object;
      return mergePatch(resource, object, change, options);
    },

    async delete(resource, key, options = {}) {
      registry.join(resource);
      const { apiVersion, kind } = resource;
      try {
        const answer = await sender.send<KubeObject | Status>(
          { method: "DELETE", path: objectPath(resource, key), body: deleteBody(options), repeatable: true },
          options,
        );
        if (options.dryRun) return true;
        if (isStatus(answer)) {
          const uid = answer.details?.uid ?? "";
          const { name, namespace } = key;
          const metadata = { name, uid, resourceVersion: "", ...(namespace === undefined ? {} : { namespace }) };
          view.onWrite?.({ apiVersion, kind, metadata }, "deleted");
        } else {
          // Marked for deletion, or deleted after that: the server does not say which, but the version is known.
          view.onWrite?.(answer, "written");
        }
        return true;
      } catch (error) {
        if (isMissingObject(error)) return false;
        throw error;
      }
    },

    async deleteCollection(resource, options = {}) {
      registry.join(resource);
      await sender.send(
        {
          method: "DELETE",
          path: homePath(resource, options.namespace),
          query: {
            labelSelector: options.labels === undefined ? undefined : labelSelectorText(options.labels),
            fieldSelector: options.fields,
          },
          body: deleteBody(options),
          repeatable: true,
        },
        options,
      );
    },
  };
}

/**
 * A no-op is told by looking at the object that was read: not what is on the server (unconditional), nor at a
 * subresource.
 */
function isComparable(options: WriteOptions): boolean {
  return !options.unconditional && !options.dryRun && options.subresource === undefined;
}

function isOperations(change: object): change is readonly JsonPatchOperation[] {
  return Array.isArray(change);
}

function isStatus(answer: KubeObject | Status): answer is Status {
  return answer.kind === "Status";
}

/** An object before the server has seen it. */
interface Body {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly managedFields?: unknown };
}

/**
 * The input as the API takes it. A subresource may want a kind of its own, such as Eviction or TokenRequest: then the
 * input says so.
 */
function bodyOf(resource: AnyResource, input: unknown, subresource: string | undefined): Body {
  const { apiVersion, kind } = resource;
  const given = input as Body;
  return subresource === undefined
    ? { ...given, apiVersion, kind }
    : { ...given, apiVersion: given.apiVersion ?? apiVersion, kind: given.kind ?? kind };
}

/** metav1.DeleteOptions. */
function deleteBody(options: DeleteOptions): Readonly<Record<string, unknown>> {
  return {
    apiVersion: "meta.k8s.io/v1",
    kind: "DeleteOptions",
    preconditions: options.preconditions,
    propagationPolicy: options.propagation,
    gracePeriodSeconds: options.gracePeriodSeconds,
    dryRun: options.dryRun ? ["All"] : undefined,
  };
}
