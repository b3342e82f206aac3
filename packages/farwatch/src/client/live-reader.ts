import { CodedError } from "../error/coded-error.ts";
import { groupResource, type Resource } from "../resource/resource.ts";
import { labelSelectorText } from "../wire/label-selector.ts";
import type { KubeObject, ObjectKey } from "../wire/object.ts";
import { collectionPath, describeCall, objectPath } from "./api-path.ts";
import type { ListOptions, Reader, ReadOptions } from "./client.ts";
import { listPages } from "./list-pages.ts";
import type { RestClient } from "./rest-client.ts";
import { StatusError } from "./status-error.ts";

const objectBytes = 16 * 1024 * 1024;

/** True for a StatusError that is no fault of the set-up: there is no such object. */
export function isMissingObject(error: unknown): boolean {
  return error instanceof StatusError && error.missing;
}

/**
 * Reads that always ask the server. What they give is the caller's own: it is not frozen, and has its managedFields.
 */
export function createLiveReader(rest: RestClient): Reader {
  const get = <O extends KubeObject>(resource: Resource<O>, key: ObjectKey, options: ReadOptions = {}): Promise<O> =>
    rest.json<O>({ method: "GET", path: objectPath(resource, key), signal: options.signal, maxBodyBytes: objectBytes });

  return {
    get: async (resource, key, options) => get(resource, key, options),
    async find(resource, key, options) {
      try {
        return await get(resource, key, options);
      } catch (error) {
        if (isMissingObject(error)) return undefined;
        throw error;
      }
    },
    async list<O extends KubeObject>(resource: Resource<O>, options: ListOptions = {}): Promise<readonly O[]> {
      if (options.index !== undefined) {
        throw new CodedError(
          "InvalidOption",
          `Cannot list ${groupResource(resource)} by index ${JSON.stringify(options.index[0])}: the server has no indexes, leave out \`live\` to read the cache`,
        );
      }
      if (options.pageSize !== undefined && !(Number.isInteger(options.pageSize) && options.pageSize > 0)) {
        throw new CodedError(
          "InvalidOption",
          `Cannot list ${groupResource(resource)}: pageSize is ${options.pageSize}, give a whole number above 0`,
        );
      }
      const { group, plural, apiVersion, kind } = resource;
      const { namespace, labels, fields, pageSize, signal } = options;
      const { items } = await listPages<Omit<O, "apiVersion" | "kind">>(rest, {
        path: collectionPath(resource, namespace),
        query: { labelSelector: labels === undefined ? undefined : labelSelectorText(labels), fieldSelector: fields },
        gzip: true,
        pageSize,
        signal,
        doing: describeCall({ verb: "list", group, resource: plural, namespace }),
      });
      // The items of a list of a built-in kind do not say what they are.
      return items.map((item) => ({ apiVersion, kind, ...item }) as O);
    },
  };
}
