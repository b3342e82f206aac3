import { CodedError, isCodedError } from "../error/coded-error.ts";
import type { RestClient, RestRequest } from "./rest-client.ts";

const defaultPageSize = 500;
/** Tries of a list whose continue token expires; the last asks for everything at once, which cannot expire. */
const mostTries = 3;
/**
 * Where a list is taken for one that never ends: beyond any that an etcd could hold. A page may be empty, where all its
 * objects were filtered out, and a server may make pages smaller than asked for (`limit` in the API conventions), so
 * that no page alone tells.
 */
const [mostObjects, mostPages] = [5_000_000, 10_000];

/** One list of a collection. */
export interface ListRequest extends Pick<RestRequest, "path" | "query" | "accept" | "gzip" | "signal"> {
  /** Objects a page; default 500. */
  readonly pageSize?: number | undefined;
  /** What is done to what, for errors: `list storagebuckets`. */
  readonly doing: string;
}

/** A whole list as the server gave it. */
export interface WholeList<O> {
  readonly items: readonly O[];
  /**
   * Of the first page: a watch from it misses nothing. Undefined where the server has no versions, as some aggregated
   * APIs.
   */
  readonly version: string | undefined;
}

interface Page<O> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly O[] | null;
}

/**
 * Every object of a collection, read page by page from one version of the server, the newest there is. When that
 * version is compacted away between two pages the list begins anew, so that what comes back is always whole.
 *
 * @throws StatusError, TransportError, the signal's reason; CodedError `ProtocolError` when the answer is no list, or one
 *   that does not end: a continue token comes again, or there are more pages than 5,000,000 objects would fill.
 */
export async function listPages<O>(rest: RestClient, request: ListRequest): Promise<WholeList<O>> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await readPages<O>(rest, request, tries < mostTries ? (request.pageSize ?? defaultPageSize) : undefined);
    } catch (error) {
      if (!isGone(error) || tries === mostTries) throw error;
    }
  }
}

/** True for a version that the server does not have any more, in whatever form it says so. */
export function isGone(error: unknown): boolean {
  return isCodedError(error, "Gone") || isCodedError(error, "Expired");
}

async function readPages<O>(
  rest: RestClient,
  { pageSize: _, ...request }: ListRequest,
  limit: number | undefined,
): Promise<WholeList<O>> {
  const most = Math.max(mostPages, mostObjects / (limit ?? defaultPageSize));
  const items: O[] = [];
  const tokens = new Set<string>();
  let first: Page<O> | undefined;
  let token: string | undefined;
  do {
    const query = { ...request.query, limit: limit === undefined ? undefined : String(limit), continue: token };
    const page: Page<O> | null = await rest.json({ method: "GET", ...request, query });
    // Taken for an empty list it would look as if every object had been deleted.
    if (page?.items === undefined || (page.items !== null && !Array.isArray(page.items))) {
      throw protocolError(request, "the answer is no list; is the server's URL right?");
    }
    for (const item of page.items ?? []) items.push(item);
    // Should a server read later pages from a newer version, the watch from the first one's brings what lies between.
    first ??= page;
    token = page.metadata?.continue || undefined;
    if (token !== undefined && (tokens.has(token) || tokens.size >= most)) {
      throw protocolError(
        request,
        `the list would never end, ${tokens.has(token) ? "the server gives a continue token that it gave before" : `it has no end after ${tokens.size} pages`}`,
      );
    }
    if (token !== undefined) tokens.add(token);
  } while (token !== undefined);
  return { items, version: first.metadata?.resourceVersion };
}

function protocolError({ doing }: Pick<ListRequest, "doing">, state: string): CodedError {
  return new CodedError("ProtocolError", `Cannot ${doing}: ${state}`);
}
