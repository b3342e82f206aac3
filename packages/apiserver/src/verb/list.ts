import { ApiError, badRequest, expired } from "../failure/api-error.ts";
import type { StoredObject } from "../registry/api-object.ts";
import { objectKey } from "../store/collection.ts";
import { resourceId } from "../store/store.ts";
import { type ContinuePoint, formatContinue, parseContinue } from "./continue-token.ts";
import { type ListOptions, readListOptions, readVersion, tooLargeVersion } from "./list-option.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { type Selection, selectionOf } from "./selection.ts";
import type { ServerCore } from "./server-core.ts";

/** A list as it is answered. */
export interface ObjectList {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

const tooOldToContinue =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/**
 * Objects of a resource in the order of their keys, of one version: the newest, the one that is asked for exactly, or
 * that of the list which a continue token goes on with.
 */
export async function listObjects(core: ServerCore, request: ResourceRequest): Promise<ObjectList> {
  const { served, namespace, query } = request;
  const options = readListOptions(query, false);
  const selection = selectionOf(options.selectors, request);
  const from = startOf(core, options, namespace);
  const resource = resourceId(served.kind);
  const { version, store } = { version: from.version, store: core.store };
  const all =
    version === store.version ? store.list(resource, from.after) : after(store.listAt(resource, version), from.after);
  // Version 0 is whatever is at hand, and that is everything.
  const limit = options.resourceVersion === "0" ? 0 : Math.max(0, options.limit);
  const page = takePage(all, selection, limit, namespace);
  const goesOn = page.more && (!selection.single || options.continueToken !== undefined);
  const last = page.items.at(-1);
  const items = await core.codec.present(served, page.items);
  return {
    items,
    resourceVersion: String(version),
    ...(goesOn && last !== undefined
      ? {
          continue: formatContinue({ version, after: objectKey(last.metadata) }),
          ...(selection.narrowed ? {} : { remainingItemCount: page.remaining }),
        }
      : {}),
  };
}

interface Start extends ContinuePoint {
  readonly version: number;
}

/** The version that is listed, and the key where it begins. */
function startOf({ store }: ServerCore, options: ListOptions, namespace: string | undefined): Start {
  const { continueToken, resourceVersion, match, limit } = options;
  const after = namespace === undefined ? "" : `${namespace}/`;
  if (continueToken !== undefined) {
    const point = parseContinue(continueToken);
    if (resourceVersion !== undefined && resourceVersion !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    if (point.version < 0) return { version: store.version, after: `${point.after}\u0000` };
    if (point.version < store.compacted || point.version > store.version) throw cannotContinue(point);
    return { version: point.version, after: `${point.after}\u0000` };
  }
  if (resourceVersion === undefined || resourceVersion === "0") return { version: store.version, after };
  const version = readVersion(resourceVersion, { listing: true });
  if (version > store.version) throw tooLargeVersion(version, store.version);
  // Without a match, a limit has always meant the exact version, and no limit one that is not older.
  if (match === "NotOlderThan" || (match === undefined && limit === 0)) return { version: store.version, after };
  if (version < store.compacted) throw expired("The resourceVersion for the provided list is too old.");
  return { version, after };
}

function cannotContinue(point: ContinuePoint): ApiError {
  const error = expired(tooOldToContinue);
  return new ApiError({
    code: error.code,
    reason: error.reason,
    message: error.message,
    listMeta: { continue: formatContinue({ version: -1, after: point.after }) },
  });
}

function* after(objects: readonly StoredObject[], from: string): Generator<StoredObject, void, undefined> {
  for (const object of objects) if (objectKey(object.metadata) >= from) yield object;
}

function takePage(
  objects: Iterable<StoredObject>,
  selection: Selection,
  limit: number,
  namespace: string | undefined,
): { readonly items: readonly StoredObject[]; readonly more: boolean; readonly remaining: number } {
  const items: StoredObject[] = [];
  let remaining = 0;
  for (const object of objects) {
    // Keys are in order: past the namespace there is nothing more of it.
    if (namespace !== undefined && object.metadata.namespace !== namespace) {
      if ((object.metadata.namespace ?? "") > namespace) break;
      continue;
    }
    // Whether what comes after a full page is selected is found out by whoever goes on.
    if (limit > 0 && items.length === limit) remaining += 1;
    else if (selection.matches(object)) items.push(object);
  }
  return { items, more: remaining > 0, remaining };
}
