import { listPages } from "../client/list-pages.ts";
import type { RestClient } from "../client/rest-client.ts";
import { CodedError } from "../error/coded-error.ts";
import type { KubeObject } from "../wire/object.ts";
import type { Selection } from "./selection.ts";

/** A whole list, and the version from which a watch goes on. */
export interface WholeList<O> {
  readonly objects: readonly O[];
  readonly version: string;
}

/**
 * Every object of a selection, from one version of the server, the newest there is.
 *
 * @throws StatusError, TransportError, the signal's reason; CodedError `ProtocolError` when the answer is no list of
 *   objects with versions, which no watch can go on from.
 */
export async function listAll<O extends KubeObject>(
  rest: RestClient,
  selection: Selection,
  signal: AbortSignal,
): Promise<WholeList<O>> {
  const doing = `list ${selection.name}`;
  const { path, query, accept } = selection;
  const { items, version } = await listPages<O>(rest, { path, query, accept: accept?.list, signal, doing });
  return { objects: checked(items, doing), version: versionOf(version, doing) };
}

/** The version that the server is at, as its cheapest list tells. */
export async function currentVersion(rest: RestClient, selection: Selection, signal: AbortSignal): Promise<string> {
  const doing = `list ${selection.name}`;
  const { path, query, accept } = selection;
  const page = await rest.json<{ readonly metadata?: { readonly resourceVersion?: string } } | null>({
    method: "GET",
    path,
    query: { ...query, limit: "1" },
    accept: accept?.list,
    signal,
    doing,
  });
  return versionOf(page?.metadata?.resourceVersion, doing);
}

function versionOf(version: unknown, doing: string): string {
  if (typeof version === "string" && version !== "") return version;
  throw noList(doing, "has no version");
}

function checked<O extends KubeObject>(items: readonly O[], doing: string): readonly O[] {
  const isObject = (item: Partial<KubeObject> | null): boolean =>
    typeof item?.metadata?.name === "string" && typeof item.metadata.resourceVersion === "string";
  if (items.every(isObject)) return items;
  throw noList(doing, "is no list of objects");
}

function noList(doing: string, state: string): CodedError {
  return new CodedError("ProtocolError", `Cannot ${doing}: the answer ${state}; is the server's URL right?`);
}
