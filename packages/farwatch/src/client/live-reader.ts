import { CodedError } from "../error/coded-error.ts";
import { groupResource, type Resource } from "../resource/resource.ts";
import { labelSelectorText } from "../wire/label-selector.ts";
import type { KubeObject, ObjectKey } from "../wire/object.ts";
import { collectionPath, objectPath } from "./api-path.ts";
import type { ListOptions, Reader, ReadOptions } from "./client.ts";
import type { RestClient } from "./rest-client.ts";
import { StatusError } from "./status-error.ts";

const defaultPageSize = 500;
/** How often a list may begin anew because its continue token expired; more would mean that it takes longer than the server keeps versions. */
const mostRestarts = 3;
const objectBytes = 16 * 1024 * 1024;

interface Page<O> {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly Omit<O, "apiVersion" | "kind">[] | null;
}

/** True for a StatusError that is no fault of the set-up: there is no such object. */
export function isMissingObject(error: unknown): boolean {
  return error instanceof StatusError && error.missing;
}

/** Reads that always ask the server. What they give is the caller's own: it is not frozen, and has its managedFields. */
export function createLiveReader(rest: RestClient): Reader {
  const get = <O extends KubeObject>(resource: Resource<O>, key: ObjectKey, options: ReadOptions = {}): Promise<O> =>
    rest.json<O>({ method: "GET", path: objectPath(resource, key), signal: options.signal, maxBodyBytes: objectBytes });

  const pages = async <O extends KubeObject>(resource: Resource<O>, options: ListOptions): Promise<O[]> => {
    const { apiVersion, kind } = resource;
    const path = collectionPath(resource, options.namespace);
    const objects: O[] = [];
    let token: string | undefined;
    do {
      const page: Page<O> = await rest.json({
        method: "GET",
        path,
        query: {
          limit: String(options.pageSize ?? defaultPageSize),
          continue: token,
          labelSelector: options.labels === undefined ? undefined : labelSelectorText(options.labels),
          fieldSelector: options.fields,
        },
        gzip: true,
        signal: options.signal,
      });
      if (page.items === undefined) {
        // Taken for an empty list it would look as if every object had been deleted.
        throw new CodedError(
          "ProtocolError",
          `Cannot list ${groupResource(resource)}: the answer is no list; is the server's URL right?`,
        );
      }
      // The items of a list of a built-in kind do not say what they are.
      for (const item of page.items ?? []) objects.push({ apiVersion, kind, ...item } as O);
      token = page.metadata?.continue;
    } while (token !== undefined && token !== "");
    return objects;
  };

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
    async list(resource, options = {}) {
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
      for (let restarts = 0; ; restarts += 1) {
        try {
          return await pages(resource, options);
        } catch (error) {
          // The version that the pages are read from was compacted: none of them is worth anything.
          const expired = error instanceof StatusError && error.httpStatus === 410;
          if (!expired || restarts === mostRestarts) throw error;
        }
      }
    },
  };
}
