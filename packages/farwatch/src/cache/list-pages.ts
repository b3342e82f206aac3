import type { RestClient } from "../client/rest-client.ts";
import { CodedError, isCodedError } from "../error/coded-error.ts";
import type { KubeObject } from "../wire/object.ts";
import type { Selection } from "./selection.ts";

const pageSize = 500;
/** Tries of a list whose continue token expires; the last asks for everything at once, which cannot expire. */
const mostTries = 3;

interface ListBody<O> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly O[] | null;
}

/** A whole list, and the version from which a watch goes on. */
export interface WholeList<O> {
  readonly objects: readonly O[];
  readonly version: string;
}

/**
 * Every object of a selection, read page by page from one version of the server, the newest there is. When that version is
 * compacted away between two pages the list begins anew, so that what comes back is always whole.
 *
 * @throws StatusError, TransportError, the signal's reason; CodedError `ProtocolError` when the answer is no list.
 */
export async function listPages<O extends KubeObject>(
  rest: RestClient,
  selection: Selection,
  signal: AbortSignal,
): Promise<WholeList<O>> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await readPages<O>(rest, selection, { limit: tries === mostTries ? undefined : pageSize, signal });
    } catch (error) {
      if (!isGone(error) || tries === mostTries) throw error;
    }
  }
}

/** The version that the server is at, as its cheapest list tells. */
export async function currentVersion(rest: RestClient, selection: Selection, signal: AbortSignal): Promise<string> {
  const page = await readPage(rest, selection, { limit: 1, token: undefined, signal });
  return page.version;
}

/** True for a version that the server does not have any more, in whatever form it says so. */
export function isGone(error: unknown): boolean {
  return isCodedError(error, "Gone") || isCodedError(error, "Expired");
}

async function readPages<O extends KubeObject>(
  rest: RestClient,
  selection: Selection,
  options: { readonly limit: number | undefined; readonly signal: AbortSignal },
): Promise<WholeList<O>> {
  const objects: O[] = [];
  let first: string | undefined;
  let token: string | undefined;
  do {
    const page = await readPage<O>(rest, selection, { ...options, token });
    for (const object of page.items) objects.push(object);
    // Should a server read later pages from a newer version, the watch from the first one's brings what lies between.
    first ??= page.version;
    token = page.token;
  } while (token !== undefined);
  return { objects, version: first };
}

async function readPage<O extends KubeObject>(
  rest: RestClient,
  selection: Selection,
  options: { readonly limit: number | undefined; readonly token: string | undefined; readonly signal: AbortSignal },
): Promise<{ readonly items: readonly O[]; readonly version: string; readonly token: string | undefined }> {
  const { limit, token, signal } = options;
  const doing = `list ${selection.name}`;
  const body = await rest.json<ListBody<O>>({
    method: "GET",
    path: selection.path,
    query: { ...selection.query, limit: limit === undefined ? undefined : String(limit), continue: token },
    accept: selection.accept?.list,
    signal,
    doing,
  });
  const version = body?.metadata?.resourceVersion;
  const items = body?.items ?? [];
  if (typeof version !== "string" || version === "" || !Array.isArray(items) || !items.every(isObject)) {
    throw new CodedError(
      "ProtocolError",
      `Cannot ${doing}: the answer is no list of objects; is the server's URL right?`,
    );
  }
  const next = body.metadata?.continue;
  return { items, version, token: next === "" ? undefined : next };
}

function isObject(item: Partial<KubeObject> | null | undefined): boolean {
  return typeof item?.metadata?.name === "string" && typeof item.metadata.resourceVersion === "string";
}
